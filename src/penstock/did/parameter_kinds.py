"""Kinds of values that parameters have beside those of every setting: switches, factors, addresses."""

from __future__ import annotations

from math import isfinite
from typing import Any, Final
from urllib.parse import urlsplit

from penstock.did.durations import read_go_duration
from penstock.did.witnesses.grammar import attainable_policy
from penstock.errors import BadWitnessPolicy
from penstock.settings.address import Address
from penstock.settings.kinds import Kind
from penstock.sidetree.origins import is_origin

__all__ = [
    "ADDRESS",
    "PUBLIC_URL",
    "STORAGE_URL",
    "SWITCH",
    "WITNESS_POLICY",
    "factor",
    "milliseconds",
    "names_among",
]

#: What Go's strconv.ParseBool takes, in any case.
_WORDS: Final = {"true": True, "t": True, "1": True, "false": False, "f": False, "0": False}


def _read_switch(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).strip().lower()
    if word not in _WORDS:
        raise ValueError(f"{value!r} is not true or false")
    return _WORDS[word]


def _read_public_url(value: Any) -> str:
    text = str(value).strip().rstrip("/")
    # Orb's has no scheme.
    url = text if "://" in text else f"https://{text}"
    parts = urlsplit(url)
    bare = f"{parts.scheme}://{parts.netloc.lower()}"
    # As the origin of its DIDs it must be one by everybody's rules, and it is chosen for ever.
    is_whole = is_origin(bare) and parts.scheme in {"http", "https"}
    if not is_whole or parts.path or parts.query or parts.fragment:
        raise ValueError(f"{value!r} is not a URL like https://orb.example.com, without a path")
    if parts.port == 0:
        raise ValueError(f"{value!r} has no port that others could come to")
    return bare


def _read_policy(value: Any) -> str:
    try:
        attainable_policy(str(value))
    except BadWitnessPolicy as exc:
        raise ValueError(str(exc)) from exc
    return str(value)


#: A witness policy that can be met.
WITNESS_POLICY: Final = Kind("a witness policy", _read_policy, str, "POLICY")


def _read_storage(value: Any) -> str:
    from fsspec import get_filesystem_class  # noqa: PLC0415 (who only wants to know the parameters goes without)
    from fsspec.utils import get_protocol  # noqa: PLC0415

    text = str(value).strip()
    try:
        get_filesystem_class(get_protocol(text))
    except (ImportError, ValueError) as exc:
        raise ValueError(f"nothing can be stored at {text!r} by what is installed here: {exc}") from exc
    return text


#: Where contents can be stored: what is to be installed for a URL must be.
STORAGE_URL: Final = Kind("a folder, or a URL that fsspec knows", _read_storage, str, "URL")
#: A domain's URL, without a path.
PUBLIC_URL: Final = Kind("a URL without a path", _read_public_url, str, "URL")
#: Where something listens.
ADDRESS: Final = Kind("an address", Address.read, str, "HOST:PORT")
#: On or off.
SWITCH: Final = Kind("true or false", _read_switch, lambda value: str(value).lower(), "BOOL")


def factor(least: float, most: float) -> Kind:
    """A number that something is multiplied by."""
    bounds = f"from {least:g} to {most:g}"

    def read(value: Any) -> float:
        try:
            found = float(value)
        except (TypeError, ValueError) as exc:
            raise ValueError(f"{value!r} is not a number") from exc
        if not isfinite(found) or not least <= found <= most:
            raise ValueError(f"{value!r} is not {bounds}")
        return found

    return Kind(f"a number {bounds}", read, lambda value: f"{value:g}", "NUMBER")


def milliseconds(least: int, most: int) -> Kind:
    """Whole milliseconds, as an int; a text with a unit is a duration."""
    bounds = f"from {least} to {most}"

    def read(value: Any) -> int:
        text = value.strip() if isinstance(value, str) else value
        is_plain = isinstance(text, str) and text.isascii() and text.isdigit()
        if is_plain or (isinstance(text, int) and not isinstance(text, bool)):
            found = int(text)
        else:
            found = round(read_go_duration(value) * 1000)
        if not least <= found <= most:
            raise ValueError(f"{value!r} is not {bounds} milliseconds")
        return found

    return Kind(f"milliseconds {bounds}, or a duration", read, str, "MILLISECONDS")


def names_among(*known: str) -> Kind:
    """Some of these words, each once."""

    def read(value: Any) -> tuple[str, ...]:
        words = value.split(",") if isinstance(value, str) else value
        if not isinstance(words, list | tuple):
            raise ValueError(f"{value!r} is not a list")  # noqa: TRY004  a wrong value, not a wrong program
        found = tuple(dict.fromkeys(str(word).strip().lower() for word in words if str(word).strip()))
        strange = [word for word in found if word not in known]
        if strange:
            raise ValueError(f"{', '.join(strange)}: not one of {', '.join(known)}")
        return found

    return Kind(f"some of {', '.join(known)}", read, ",".join, "NAME", is_list=True)
