"""Resources: what a panel was not given is a 404 that says how to give it."""

from __future__ import annotations

import asyncio
from dataclasses import fields

import pytest

from penstock.panel.own import Resources
from penstock.panel.own.resources import MISSING
from penstock.panel.replies import ApiFault
from penstock.settings import OPTIONS

SOURCES = [field.name for field in fields(Resources) if field.name != "opened"]


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_that_is_missing_says_which_setting_names_it(name: str) -> None:
    with pytest.raises(ApiFault, match="this panel was not told") as caught:
        Resources().demand(name)
    assert caught.value.status == 404
    named = [word for word in str(caught.value).split() if word.startswith(("panel_", "message_"))]
    assert set(named) <= set(OPTIONS)
    assert named or name == "workers"


def test_every_source_has_such_a_sentence() -> None:
    assert set(MISSING) == set(SOURCES)


def test_a_source_that_is_there_is_given_and_what_was_opened_is_closed() -> None:
    closed = list[str]()

    async def story() -> None:
        resources = Resources(pipelines="them")  # type: ignore[arg-type]
        resources.opened.callback(closed.append, "them")
        assert resources.demand("pipelines") == "them"
        await resources.close()

    asyncio.run(story())
    assert closed == ["them"]
