"""ion-sdk, with which wallets make DIDs of ION: its part is in ion_sdk.mjs.

It makes requests and resolves nothing, so what they come to is asked of the reference implementation.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from penstock.sidetree.did import read_did
from penstock.sidetree.ingestion import ingest
from penstock.sidetree.methods import METHODS
from penstock.sidetree.protocol import ION
from penstock.sidetree.resolution import resolve
from penstock.sidetree.results import resolution_result
from tests.conversations.node import installed
from tests.conversations.programs import run
from tests.conversations.sidetree_lives import anchored, document, drawn_life
from tests.conversations.sidetree_reference import METHOD
from tests.sidetree.lives import NOW

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

    from tests.conversations.sidetree_reference import Reference

SCRIPT = Path(__file__).with_name("ion_sdk.mjs")

#: Pinned, as requirements.lock pins what is Python's.
NAME, VERSION = "@decentralized-identity/ion-sdk", "1.0.4"
ENTRY = "dist/lib/index.js"
LIVES = 40


@pytest.fixture(scope="session")
def modules(run_folder: Path, real_program: Callable[[str], Path]) -> Path:
    """The folder in which ion-sdk is installed, once for the run."""
    return installed(f"{NAME}@{VERSION}", npm=real_program("npm"), run_folder=run_folder)


def drawn(random: Random) -> list[dict[str, Any]]:
    """A life as ion-sdk can write it: its updates add and remove, and know no other patches."""
    steps = drawn_life(random, f"{random.random()}")
    return [
        {**step, "add": document(random), "remove": random.sample(["a", "b", "s", "t"], random.randrange(3))}
        if step["type"] == "update"
        else step
        for step in steps
    ]


def test_ion_sdk_and_both_resolvers_mean_the_same(
    random: Random,
    modules: Path,
    reference: Reference,
    real_program: Callable[[str], Path],
) -> None:
    plans = [drawn(random) for _ in range(LIVES)]
    told = run([real_program("node"), SCRIPT, modules / NAME / ENTRY], folder=modules, said=json.dumps(plans))
    made = json.loads(told)
    asked: list[dict[str, Any]] = [
        {
            "operations": [
                {"type": step["type"], "suffix": life["suffix"], "request": request, "number": number}
                for number, (step, request) in enumerate(zip(plan, life["requests"], strict=True), 1)
            ],
            "dids": [f"{METHOD.namespace}:{life['suffix']}"],
        }
        for plan, life in zip(plans, made, strict=True)
    ]
    for life, question, (answer,) in zip(made, asked, reference.ask("resolved", asked), strict=True):
        begin = ingest(life["requests"][0].encode(), ION, NOW)
        long = read_did(life["longForm"], METHODS["did:ion"])
        assert begin.suffix == long.suffix == life["suffix"]
        state = resolve(long.suffix, anchored(question["operations"]), METHOD.protocols)
        assert resolution_result(read_did(question["dids"][0], METHOD), state, METHOD) == answer["body"]
