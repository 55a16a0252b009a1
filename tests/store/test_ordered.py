from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penstock.store.ordered import FEW, Ordered


def test_keys_are_read_in_order_from_any_on() -> None:
    ordered: Ordered[int, str] = Ordered()
    for key in (5, 1, 3, 9):
        ordered[key] = f"value {key}"
    assert [key for key, _ in ordered.since(2)] == [3, 5, 9]
    assert ordered.pop(5) == "value 5"
    assert ordered.pop(5) is None
    ordered[3] = "other"
    assert list(ordered.since(0)) == [(1, "value 1"), (3, "other"), (9, "value 9")]


def test_what_left_is_swept_out() -> None:
    ordered: Ordered[int, int] = Ordered()
    for key in range(10 * FEW):
        ordered[key] = key
    for key in range(10 * FEW - 1):
        ordered.pop(key)
    assert (len(ordered), len(ordered._keys) <= FEW) == (1, True)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9))), st.integers(0, 9))
def test_it_is_like_a_sorted_dictionary(steps: list[tuple[bool, int]], start: int) -> None:
    ordered: Ordered[int, int] = Ordered()
    plain: dict[int, int] = {}
    for number, (adds, key) in enumerate(steps):
        if adds:
            ordered[key] = plain[key] = number
        else:
            assert ordered.pop(key) == plain.pop(key, None)
    assert list(ordered.since(start)) == sorted(item for item in plain.items() if item[0] >= start)
