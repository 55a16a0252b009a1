from __future__ import annotations

from penstock.errors import BadSelector, BadSetting, ReaderInUse


def test_errors_tell_programs_what_they_are_about() -> None:
    held = ReaderInUse("it is held", holder="a", until=7.0)
    assert (str(held), held.holder, held.until) == ("it is held", "a", 7.0)
    assert BadSetting("it cannot be", setting="port").setting == "port"
    assert BadSelector("expected a value", statement="a = ", column=5).column == 5
