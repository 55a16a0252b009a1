from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.cli.application import load_application
from penstock.errors import BadSetting

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Commons


def test_an_application_is_found_in_the_working_directory(commons: Commons) -> None:
    assert load_application(commons.target).name == commons.name


@pytest.mark.parametrize("text", ["", "module", "module:", ":app"])
def test_it_has_a_module_and_a_name(text: str) -> None:
    with pytest.raises(BadSetting, match="an application is named like"):
        load_application(text)


@pytest.mark.parametrize("text", ["no_such_module:app", "penstock.no_such:app", "no.such.thing:app"])
def test_a_module_that_is_not_there(text: str) -> None:
    with pytest.raises(BadSetting, match="there is no module"):
        load_application(text)


def test_an_application_that_is_not_there_is_told_with_those_that_are(commons: Commons) -> None:
    module = commons.target.partition(":")[0]
    with pytest.raises(BadSetting, match=f"{module} has no application 'ap'; there is app"):
        load_application(f"{module}:ap")
    with pytest.raises(BadSetting, match=r"has no application 'notifications'; there is app"):
        load_application(f"{module}:notifications")
    with pytest.raises(BadSetting, match=r"json has no application 'app'$"):
        load_application("json:app")


def test_a_module_that_does_not_work_keeps_its_traceback(commons: Commons, tmp_path: Path) -> None:
    commons.write(lambda text: f"import there_is_no_such_thing\n{text}")
    with pytest.raises(ModuleNotFoundError, match="there_is_no_such_thing"):
        load_application(commons.target)
