"""How pictures look."""

from __future__ import annotations

from penstock.pipelines.reports.style import COLOURS, REST, colours, picture


def test_colours_are_given_in_turn_and_the_rest_share_one() -> None:
    given = colours([str(number) for number in range(len(COLOURS) + 2)])
    assert list(given.values()) == [*COLOURS, REST, REST]


def test_a_picture_has_its_title_at_the_left() -> None:
    _, axes = picture("Rates", height=3)
    assert axes.get_title(loc="left") == "Rates"
