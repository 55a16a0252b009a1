from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penstock.errors import BadSignature
from penstock.sidetree.base64url import encode
from penstock.sidetree.jws import Parts, parts_of
from penstock.sidetree.protocol import ORB
from penstock.sidetree.usual.jws import usual_jws
from tests.sidetree.lives import key

ALGORITHMS = ORB.signature_algorithms
CURVES = ("P-256", "secp256k1", "Ed25519")
COMPACT = [key("signer", curve).sign({"said": "s" * n}) for curve in CURVES for n in (1, 2, 3)]
OTHER = encode(b'{"alg":"HS256"}')
#: Payloads that are not base64url in its one form.
OTHERS = ("AB", "AAB", "AA==", *(each * 4 + "AAAA" for each in "+/\né"))
HEADER, PAYLOAD, SIGNATURE = COMPACT[0].split(".")


def plainly(compact: str) -> Parts | None:
    try:
        return parts_of(compact, ALGORITHMS)
    except BadSignature:
        return None


@pytest.mark.parametrize("compact", COMPACT)
def test_what_most_authors_send_is_read_as_by_the_plain_road(compact: str) -> None:
    assert usual_jws(compact, ALGORITHMS) == plainly(compact) is not None


@pytest.mark.parametrize("payload", [b"\xfb\xff\xfe", b"\xff" * 6, b"\xfb", b"\x00"])
def test_all_letters_of_the_alphabet_are_read(payload: bytes) -> None:
    compact = f"{HEADER}.{encode(payload)}.{encode(bytes([*range(252, 256)]) * 16)}"
    assert usual_jws(compact, ALGORITHMS) == plainly(compact) is not None


@pytest.mark.parametrize(
    "compact",
    [
        "",
        "x",
        "a.b",
        f"{COMPACT[0]}.",
        f".{PAYLOAD}.{SIGNATURE}",
        f"{encode(b'{}')}.{PAYLOAD}.{SIGNATURE}",
        f"{OTHER}.{PAYLOAD}.{SIGNATURE}",
        f"{HEADER}..{SIGNATURE}",
        f"{HEADER}.{PAYLOAD}.",
        f"{HEADER}.é.{SIGNATURE}",
        f"{HEADER}.A.{SIGNATURE}",
        # Bits behind the last byte, letters of the other alphabet, what only the lenient pass over.
        *(f"{HEADER}.{payload}.{SIGNATURE}" for payload in OTHERS),
        *(
            f"{HEADER}.{PAYLOAD}.{signature}"
            for signature in ("A" * 85 + "B", *(each * 4 + "A" * 82 for each in "+/\né"))
        ),
        # As short and as long as no signature is.
        *(f"{HEADER}.{PAYLOAD}.{'A' * length}" for length in (82, 84, 87, 88, 90)),
    ],
)
def test_all_else_is_looked_at_more_closely(compact: str) -> None:
    assert usual_jws(compact, ALGORITHMS) is None


@given(st.sampled_from(COMPACT), st.data())
def test_no_damaged_one_is_read_in_another_way(compact: str, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(compact)))
    damaged = compact[:place] + data.draw(st.text("AQgwB09-_+/=.\né", max_size=3)) + compact[place + 1 :]
    found = usual_jws(damaged, ALGORITHMS)
    assert found is None or found == plainly(damaged)
