"""The reference implementation of Sidetree, which ION's nodes are: its part is in sidetree_reference.cjs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from penstock.sidetree.methods import Method
from penstock.sidetree.protocol import ION, Protocols
from tests.conversations.node import installed
from tests.conversations.programs import run

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["METHOD", "Reference"]

SCRIPT = Path(__file__).with_name("sidetree_reference.cjs")

#: Pinned, as requirements.lock pins what is Python's. It is the last one, and what ION's nodes run.
PACKAGE = "@decentralized-identity/sidetree@1.0.6"

#: As their code names DIDs, by the rules of ION.
METHOD = Method(namespace="did:sidetree", protocols=Protocols([ION]))


class Reference:
    """Their code, to be asked for many things at once: a process is started for each question."""

    def __init__(self, run_folder: Path, real_program: Callable[[str], Path]) -> None:
        self._node = real_program("node")
        self._modules = installed(PACKAGE, npm=real_program("npm"), run_folder=run_folder)

    def ask(self, verb: str, each: Sequence[Any]) -> list[Any]:
        """What comes of it when it does this with each of these."""
        told = run(
            [self._node, SCRIPT, verb],
            folder=self._modules,
            environment={"NODE_PATH": str(self._modules)},
            said=json.dumps(each),
        )
        answers: list[Any] = json.loads(told)
        assert len(answers) == len(each)
        return answers
