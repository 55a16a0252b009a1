"""The reference implementation of Sidetree: each delta is taken by both or by neither.

What is missing here, and taken by one alone, stands in docs/reference/sidetree.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from penstock.errors import SidetreeError
from penstock.sidetree.canonical import canonical
from penstock.sidetree.delta import check_delta
from penstock.sidetree.multihash import commitment
from penstock.sidetree.protocol import ION
from tests.sidetree.lives import public_key, service

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conversations.sidetree_reference import Reference

ANY_ENDPOINT: list[Any] = [
    *(
        "",
        "x",
        "/",
        "//",
        "//h",
        "any text",
        "a|b",
        "\x00",
        "\n",
        "é",
        "🙂",
        "%zz",
        "?",
        "#",
        ":",
        "1:a",
        "a:",
    ),
    *("http:", "http://", "HTTP://", "http:///a", "http:a", "http:/a", "http://a b", "http://u@", "http://@"),
    *(
        "http://u@h",
        "http://:80",
        "http://h:port",
        "http://?q",
        "http://[::1",
        "https://",
        "https://ü/",
        "ws:",
    ),
    *(
        "urn:",
        "urn:a",
        "urn:a:",
        "urn::a",
        "urn:uuid:1",
        "urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6",
        "URN:a",
    ),
    *(
        "mailto:",
        "mailto:a",
        "mailto:a@b",
        "mailto:a@b,c",
        "mailto:a@b?to=c",
        "mailto:?to=a@b&to",
        "mailto:?x",
    ),
    *(None, 5, True, {}, [], ["http://a"], {"a": []}),
]
ANY_NAME: list[Any] = ["", "a" * 50, "a" * 51, "a b", "é", "a\n", 5, None]
ANY_TYPE: list[Any] = ["", "any", "t" * 30, "t" * 31, None, 5]
ANY_PURPOSES: list[Any] = [
    [],
    ["keyAgreement"],
    ["keyAgreement"] * 2,
    ["other"],
    "keyAgreement",
    None,
    [None],
]
ANY_JWK: list[Any] = [{}, None, [], "x", {"any": "thing"}]
ANY_DOCUMENT: list[Any] = [None, {}, {"more": 1}, {"services": None}, {"publicKeys": {}}, "x"]
NOTHING: list[Any] = [{}, None, 5, "x"]
ANY_LIST: list[Any] = [None, {}, [], [5], [""], ["a", "a"]]

KEYS: list[Any] = [
    *(public_key() | {"id": each} for each in ANY_NAME),
    *(public_key(type=each) for each in ANY_TYPE),
    *(public_key(purposes=each) for each in ANY_PURPOSES),
    *(public_key(publicKeyJwk=each) for each in ANY_JWK),
    *(public_key() | {name: "did:a:b"} for name in ("controller", "publicKeyMultibase", "publicKeyBase58")),
    *NOTHING,
]
SERVICES: list[Any] = [
    *(service() | {"id": each} for each in ANY_NAME),
    *(service(type=each) for each in ANY_TYPE),
    *(service(serviceEndpoint=each) for each in ANY_ENDPOINT),
    *(service(more=1), *NOTHING),
]
PATCHES: list[Any] = [
    *({"action": "add-public-keys", "publicKeys": each} for each in (*ANY_LIST, [public_key()] * 2)),
    *({"action": "add-services", "services": each} for each in (*ANY_LIST, [service()] * 2)),
    *({"action": "remove-public-keys", "ids": each} for each in ANY_LIST),
    *({"action": "remove-services", "ids": each} for each in ANY_LIST),
    *({"action": "replace", "document": each} for each in ANY_DOCUMENT),
    *({"action": "replace", "document": {"services": each}} for each in (ANY_LIST, [service()] * 2)),
    {"action": "replace", "document": {}, "more": 1},
    {"action": "add-services", "services": [], "more": 1},
    {"action": "remove-services", "ids": [], "more": 1},
    {"action": "add-also-known-as", "uris": ["https://a.example"]},
    {"action": "ietf-json-patch", "patches": [{"op": "add", "path": "/a", "value": 1}]},
    *({"action": "other"}, *NOTHING),
]


def deltas() -> Iterator[Any]:
    promised = commitment(public_key())
    lists: list[Any] = [
        *([{"action": "add-public-keys", "publicKeys": [each]}] for each in KEYS),
        *([{"action": "replace", "document": {"publicKeys": [each]}}] for each in KEYS),
        *([{"action": "add-services", "services": [each]}] for each in SERVICES),
        *([each] for each in PATCHES),
        *([], None, {}, "x"),
    ]
    yield from ({"patches": each, "updateCommitment": promised} for each in lists)
    yield from (
        {"patches": [], "updateCommitment": each} for each in (None, "", "x", promised[:-1], f"{promised}A")
    )
    yield from ({"patches": []}, {"updateCommitment": promised}, None, 5, [], {})
    yield {"patches": [], "updateCommitment": promised, "more": 1}
    for size in (ION.max_delta_size - 1, ION.max_delta_size, ION.max_delta_size + 1):
        yield {"patches": [of_size(size)], "updateCommitment": promised}


def of_size(size: int) -> Any:
    """A patch with which a delta has so many bytes in canonical form, and fewer letters."""
    patch: dict[str, Any] = {"action": "add-services", "services": [service(serviceEndpoint={"ü": ""})]}
    room = size - len(canonical({"patches": [patch], "updateCommitment": commitment(public_key())}))
    patch["services"][0]["serviceEndpoint"]["ü"] = "x" * room
    return patch


def refusal(delta: Any) -> str:
    try:
        check_delta(delta, ION)
    except SidetreeError as exc:
        return str(exc)
    return ""


def test_each_delta_is_taken_by_both_or_by_neither(reference: Reference) -> None:
    asked = list(deltas())
    assert (
        min(map(len, map(canonical, asked[-6:])))
        <= ION.max_delta_size
        < max(map(len, map(canonical, asked[-6:])))
    )
    for delta, theirs in zip(asked, reference.ask("delta", asked), strict=True):
        assert bool(refusal(delta)) == bool(theirs), (delta, refusal(delta), theirs)
