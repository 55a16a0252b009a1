from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from examples.keno import rules
from examples.keno.rules import Span

INSTANTS = st.floats(0, 2e9)
SPANS = st.tuples(INSTANTS, st.floats(0.001, 1e6)).map(lambda both: Span(both[0], both[0] + both[1]))


def test_every_level_costs_more_and_takes_longer_than_the_one_before() -> None:
    levels = range(1, rules.HIGHEST)
    for costs in (rules.upgrade_ore, rules.upgrade_seconds, rules.dug):
        found = [costs(level) for level in levels]
        assert found == sorted(set(found))


def test_a_mine_pays_for_itself() -> None:
    assert all(rules.dug(level) >= rules.upgrade_ore(level) for level in range(1, rules.HIGHEST))


def test_ships_take_their_time_and_a_better_shipyard_less() -> None:
    assert rules.construction_seconds(10, 1) == 40.0
    assert rules.construction_seconds(10, 4) == 10.0


def test_a_flight_takes_as_long_as_the_way_is() -> None:
    assert rules.flight_seconds(0, 0, 30, -40) == 50 / rules.SPEED


@given(SPANS, st.floats(0, 1))
def test_a_fleet_that_turns_round_is_back_after_as_long_as_it_has_flown(span: Span, share: float) -> None:
    now = span.started_at + share * (span.ends_at - span.started_at)
    back = rules.turned_round(span, now)
    assert back.ends_at - now == pytest.approx(now - span.started_at, abs=1e-3)
    # And is at that moment where it was: as far from where it was bound for as it had still to go.
    assert now - back.started_at == pytest.approx(span.ends_at - now, abs=1e-3)


@given(SPANS, st.floats(0, 2))
def test_what_is_hastened_takes_half_of_what_was_left_and_never_ends_before_now(
    span: Span, share: float
) -> None:
    now = span.started_at + share * (span.ends_at - span.started_at)
    sooner = rules.hastened(span, now)
    assert sooner.started_at == span.started_at
    assert sooner.ends_at - now == pytest.approx(max(span.ends_at - now, 0) / 2, abs=1e-3)


@pytest.mark.parametrize(
    ("sector", "left", "bottom", "expected"),
    [
        (0, -50, 250, True),
        (0, -500, 450, True),
        (0, 0, 500, False),
        (0, -550, 0, False),
        (0, -51, 250, False),
        (0, 0, 25, False),
        (1, 0, 0, False),
    ],
)
def test_a_chunk_is_on_a_boundary_within_the_sector(
    sector: int,
    left: int,
    bottom: int,
    expected: bool,  # noqa: FBT001  a column of the table
) -> None:
    assert rules.is_chunk(sector, left, bottom) is expected


@given(st.integers(-rules.EDGE, rules.EDGE - 1))
def test_everything_on_the_map_is_in_a_chunk(at: int) -> None:
    corner = rules.chunk_corner(at)
    assert rules.is_chunk(0, corner, corner)
    assert corner <= at < corner + rules.CHUNK
