"""Public data of other implementations, read where they are present and never part of the project."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

FOLDER = Path(__file__).parents[3] / "shared" / "vectors"

DIF = "sidetree/www/vectors"
ION_SDK = "ion-sdk"
SIDETREE_JS = "sidetree.js/packages"
RFC_8785 = "json-canonicalization/testdata"

#: For a test, or with `pytestmark`, for a file.
needs_vectors = pytest.mark.skipif(not FOLDER.is_dir(), reason="the public vectors are not here")


def raw(path: str) -> bytes:
    return (FOLDER / path).read_bytes()


def vector(path: str) -> Any:
    return json.loads(raw(path))


def names(path: str) -> list[str]:
    """The files of a folder; none where there are no vectors, so that cases can be made of them."""
    return sorted(file.name for file in (FOLDER / path).glob("*")) if FOLDER.is_dir() else []


def lives(curve: str) -> list[list[Any]]:
    """The five DIDs of sidetree.js for a curve: create, update, recover, deactivate."""
    found = vector(f"{SIDETREE_JS}/test-vectors/src/wallet/v1-{curve}-operations.json")["operations"]
    return [[life[f"op{step}"] for step in range(4)] for life in found]
