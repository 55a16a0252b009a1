from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from penstock.errors import BadPatch
from penstock.sidetree.patches.json_patch import JSON_PATCH
from penstock.sidetree.protocol import ORB


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # RFC 6902, appendix A
        ([{"op": "add", "path": "/baz", "value": "qux"}], {"foo": ["bar", {"n": 1}], "baz": "qux"}),
        ([{"op": "add", "path": "/foo/1", "value": "qux"}], {"foo": ["bar", "qux", {"n": 1}]}),
        ([{"op": "remove", "path": "/foo/0"}], {"foo": [{"n": 1}]}),
        ([{"op": "replace", "path": "/foo/1/n", "value": None}], {"foo": ["bar", {"n": None}]}),
        ([{"op": "replace", "path": "/foo/0", "value": 2}], {"foo": [2, {"n": 1}]}),
        ([{"op": "move", "from": "/foo/0", "path": "/x"}], {"foo": [{"n": 1}], "x": "bar"}),
        ([{"op": "copy", "from": "/foo/1", "path": "/x"}], {"foo": ["bar", {"n": 1}], "x": {"n": 1}}),
        ([{"op": "test", "path": "/foo/1/n", "value": 1.0}], {"foo": ["bar", {"n": 1}]}),
        (
            [{"op": "add", "path": "/more", "value": 1, "unknown": "is ignored"}],
            {"foo": ["bar", {"n": 1}], "more": 1},
        ),
    ],
)
def test_each_change_does_what_rfc_6902_says(changes: list[Any], expected: Any) -> None:
    document = {"foo": ["bar", {"n": 1}]}
    JSON_PATCH.check(changes, ORB)
    assert JSON_PATCH.apply(document, changes) == expected
    assert document == {"foo": ["bar", {"n": 1}]}


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (None, "must be a list"),
        ([], "must list something"),
        (["text"], "must have a path"),
        ([{"op": "remove"}], "no JSON Pointer"),
        ([{"op": "remove", "path": ""}], "must have a path"),
        ([{"op": "remove", "path": "publicKeys"}], "no JSON Pointer"),
        ([{"op": "remove", "path": "/publicKeys/0"}], "patches of their own"),
        ([{"op": "add", "path": "/services/-", "value": {}}], "patches of their own"),
        ([{"op": "add", "path": "/service", "value": {}}], "patches of their own"),
        ([{"op": "move", "from": "/publicKeys", "path": "/x"}], "patches of their own"),
    ],
)
def test_a_change_that_points_where_it_may_not_is_refused_at_once(value: Any, reason: str) -> None:
    with pytest.raises(BadPatch, match=reason):
        JSON_PATCH.check(value, ORB)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"path": "/x"}, "knows no 'None'"),
        ({"op": "fly", "path": "/x"}, "knows no 'fly'"),
        ({"op": ["add"], "path": "/x"}, "knows no"),
        ({"op": "add", "path": "/x"}, "no 'value'"),
        ({"op": "move", "path": "/x"}, "no 'from'"),
        ({"op": "copy", "from": 5, "path": "/x"}, "no JSON Pointer"),
        ({"op": "move", "from": "", "path": "/x"}, "into itself"),
        ({"op": "move", "from": "/foo", "path": "/foo/x"}, "into itself"),
        ({"op": "remove", "path": "/unknown"}, "nothing stands"),
        ({"op": "replace", "path": "/unknown", "value": 1}, "nothing stands"),
        ({"op": "test", "path": "/foo", "value": True}, "something else"),
    ],
)
def test_a_change_that_does_not_fit_the_document_fails_when_it_is_made(change: Any, reason: str) -> None:
    JSON_PATCH.check([change], ORB)
    with pytest.raises(BadPatch, match=reason):
        JSON_PATCH.apply({"foo": 1}, [change])


@pytest.mark.parametrize(
    "change",
    [
        {"op": "copy", "from": "", "path": "/a"},  # doubles
        {"op": "copy", "from": "", "path": "/deep"},
    ],
)
def test_a_document_copied_into_itself_does_not_grow_without_end(change: Any) -> None:
    changes = [{**change, "path": f"{change['path']}{number}"} for number in range(40)]
    with pytest.raises(BadPatch, match="grow beyond"):
        JSON_PATCH.apply({"x": "some text"}, changes)


def test_what_is_large_already_is_not_copied() -> None:
    JSON_PATCH.apply({"x": "y" * 4_900}, [{"op": "copy", "from": "/x", "path": "/z"}])
    with pytest.raises(BadPatch, match="grow beyond 10000 bytes"):
        JSON_PATCH.apply({"x": "y" * 5_000}, [{"op": "copy", "from": "/x", "path": "/z"}])


def test_a_document_copied_into_its_depth_does_not_nest_without_end() -> None:
    path, changes = "", []
    for _ in range(12):
        changes.append({"op": "copy", "from": "", "path": f"{path}/a"})
        path = f"{path}/a" + path
    with pytest.raises(BadPatch, match="grow beyond"):
        JSON_PATCH.apply({}, changes)


def test_a_patch_stays_as_it_was_signed() -> None:
    changes = [
        {"op": "add", "path": "/list", "value": []},
        {"op": "add", "path": "/list/-", "value": 1},
        {"op": "replace", "path": "/list", "value": {"deep": []}},
        {"op": "add", "path": "/list/deep/-", "value": 2},
    ]
    signed = deepcopy(changes)
    for _ in range(2):
        assert JSON_PATCH.apply({}, changes) == {"list": {"deep": [2]}}
        assert changes == signed


def nested(levels: int) -> list[Any]:
    found: list[Any] = []
    for _ in range(levels - 1):
        found = [found]
    return found


def test_however_deep_a_document_has_become_it_can_be_changed() -> None:
    document, path = JSON_PATCH.apply({}, [{"op": "add", "path": "/x", "value": nested(90)}]), "/x"
    for _ in range(9):
        path += "/0" * 89
        document = JSON_PATCH.apply(document, [{"op": "add", "path": f"{path}/0", "value": nested(90)}])
    assert JSON_PATCH.apply(document, [{"op": "add", "path": "/y", "value": 1}])["y"] == 1
    for op in ("copy", "test"):
        change = {"op": op, "from": "/x", "path": "/x", "value": 1}
        with pytest.raises(BadPatch, match=r"grow beyond|something else"):
            JSON_PATCH.apply(document, [change])


def test_a_large_document_is_shared_with_the_one_that_it_becomes() -> None:
    document = {"large": [[]] * 1000, "small": {"x": 1}}
    changed = JSON_PATCH.apply(document, [{"op": "replace", "path": "/small/x", "value": 2}])
    assert changed == {**document, "small": {"x": 2}}
    assert changed["large"] is document["large"]
    assert document["small"] == {"x": 1}
