from __future__ import annotations

from dataclasses import dataclass, field

import pytest

from penstock.errors import BadSetting
from penstock.settings.kinds import SECRET, count
from penstock.settings.options import option, options_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Kitchen:
    max_cooks: int = option(3, count(1, 9), "Staff", "How many cooks there may be.")
    door_code: str = option("1234", SECRET, "Doors", "What opens the door.")
    other: list[str] = field(default_factory=list)


OPTIONS = options_of(Kitchen)


def test_an_option_has_one_name_in_four_spellings() -> None:
    cooks = OPTIONS["max_cooks"]
    assert (cooks.name, cooks.variable, cooks.flag) == ("max_cooks", "PENSTOCK_MAX_COOKS", "--max-cooks")
    assert (cooks.chapter, cooks.help, cooks.shown_default) == ("Staff", "How many cooks there may be.", "3")


def test_only_fields_made_as_options_are_options() -> None:
    assert list(OPTIONS) == ["max_cooks", "door_code"]


def test_a_secret_is_in_no_repr_and_on_no_command_line() -> None:
    assert repr(Kitchen(door_code="hush")) == "Kitchen(max_cooks=3, other=[])"
    assert OPTIONS["door_code"].flag is None
    assert OPTIONS["door_code"].shown_default == "***"


def test_a_bad_value_names_the_option_and_the_place() -> None:
    with pytest.raises(BadSetting, match=r"^max_cooks \(kitchen\.toml\): 10 is not from 1 to 9$") as caught:
        OPTIONS["max_cooks"].read(10, "kitchen.toml")
    assert caught.value.setting == "max_cooks"


def test_a_bad_secret_is_not_quoted() -> None:
    with pytest.raises(BadSetting) as caught:
        OPTIONS["door_code"].read(987654, "kitchen.toml")
    assert "987654" not in str(caught.value)
