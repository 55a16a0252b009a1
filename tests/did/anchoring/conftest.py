"""Databases and domains for the tests of anchoring."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from penstock.clock import VirtualClock
from penstock.did.anchoring import ANCHORING
from penstock.did.operation_queue import OPERATION_QUEUE
from penstock.did.operations import OPERATIONS
from tests.did.anchoring.helpers import NOW, A, B, C, Domain, PaperContents, new_domain

if TYPE_CHECKING:
    from collections.abc import Iterator

    from penstock.did.database import DomainDatabase


@pytest.fixture
def kept(database: DomainDatabase) -> DomainDatabase:
    """A database with the tables, on each kind in turn."""
    database.create(OPERATION_QUEUE, OPERATIONS, ANCHORING)
    return database


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(NOW)


@pytest.fixture
def contents() -> PaperContents:
    """A storage that all domains can read, as they can over HTTP."""
    return PaperContents()


@pytest.fixture
def author(clock: VirtualClock, contents: PaperContents) -> Iterator[Domain]:
    with new_domain(A, clock=clock, contents=contents) as domain:
        yield domain


@pytest.fixture
def witness(clock: VirtualClock, contents: PaperContents) -> Iterator[Domain]:
    with new_domain(B, clock=clock, contents=contents) as domain:
        yield domain


@pytest.fixture
def other(clock: VirtualClock, contents: PaperContents) -> Iterator[Domain]:
    with new_domain(C, clock=clock, contents=contents) as domain:
        yield domain


@pytest.fixture
def domains(author: Domain, witness: Domain, other: Domain) -> tuple[Domain, Domain, Domain]:
    return author, witness, other
