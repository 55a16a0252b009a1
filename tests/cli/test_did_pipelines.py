"""What is put together here is run for real in tests/federation; here is how it is put together."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any

import pytest

from penstock.cli import did_pipelines as module
from penstock.cli.did_pipelines import run_pipelines
from penstock.errors import PipelineError
from penstock.pipelines.declared.status import State
from tests.did.domain.helpers import places_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Stage:
    """What was done, in order."""

    def __init__(self) -> None:
        self.done: list[Any] = []
        self.ends: dict[str, State] = {"orb.writer": State.STOPPED}

    @contextmanager
    def part(self, kind: str, places: Any, **more: Any) -> Iterator[list[str]]:
        self.done.append((kind, places.word, more))
        yield [f"{places.word}.{kind}"]
        self.done.append(("closed", f"{places.word}.{kind}"))


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    made = Stage()

    class Supervisor:
        def __init__(self, pipelines: list[str], data: Path, spark: object, *, clock: object) -> None:
            made.done.append(("pipelines", pipelines, data))

        def run(self) -> dict[str, State]:
            # Whoever supervises the process asks it to end.
            os.kill(os.getpid(), signal.SIGTERM)
            return made.ends

        def stop(self) -> None:
            made.done.append("stopping")

    def open_did_session(name: str, master: str, **_: Any) -> Any:
        made.done.append(("session", master))
        return nullcontext()

    monkeypatch.setattr(module, "Supervisor", Supervisor)
    monkeypatch.setattr(module, "Pipelines", list)
    monkeypatch.setattr(module, "open_did_session", open_did_session)
    monkeypatch.setattr(module, "writing", lambda places: made.part("writer", places))
    monkeypatch.setattr(module, "observing", lambda places, **more: made.part("observer", places, **more))
    before = signal.getsignal(signal.SIGTERM)
    yield made
    assert signal.getsignal(signal.SIGTERM) == before


def test_all_pipelines_of_all_domains_run_in_one_session_until_term(stage: Stage, tmp_path: Path) -> None:
    domains = [places_in(tmp_path, word) for word in ("orb", "orb2")]
    run_pipelines(domains, tmp_path, master="local[2]", tell_ready=lambda: stage.done.append("ready"))
    names = ["orb.writer", "orb.observer", "orb2.writer", "orb2.observer"]
    assert stage.done[0] == ("session", "local[2]")
    assert stage.done[5:8] == [("pipelines", names, tmp_path), "ready", "stopping"]
    assert stage.done[8:] == [("closed", name) for name in reversed(names)]


def test_a_broker_without_readers_is_read_by_a_spool_for_each_domain(stage: Stage, tmp_path: Path) -> None:
    run_pipelines(
        [places_in(tmp_path)], tmp_path, master="local[*]", tell_ready=lambda: None, spool=tmp_path / "spool"
    )
    assert ("observer", "orb", {"spool": str(tmp_path / "spool" / "orb")}) in stage.done


def test_a_pipeline_that_has_failed_for_good_is_told(stage: Stage, tmp_path: Path) -> None:
    stage.ends["orb.observer"] = State.FAILED
    with pytest.raises(PipelineError, match=r"orb\.observer failed for good"):
        run_pipelines([places_in(tmp_path)], tmp_path, master="local[*]", tell_ready=lambda: None)
