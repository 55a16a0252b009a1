"""`penstock did up` as a whole: two domains of different make, each with its own Spark, and a life in both.

One keeps its records in SQLite and its contents in a folder, and has a broker of its own; the other is on
PostgreSQL, S3 and RabbitMQ.
"""

from __future__ import annotations

import signal
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING

import pytest
import typer
from typer.testing import CliRunner

from penstock.cli.did_demo import demo
from penstock.did.cas import StoredContents
from tests.federation.dids import Dids
from tests.federation.town import Town
from tests.servers import s3
from tests.servers.running import free_port

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.servers.running import Running

COLLECTIONS = ("followers", "following", "witnesses", "witnessing")
PROCESSES = ("broker", "orb")
#: Those of the domain that keeps them elsewhere.
CONTENTS = f"s3://{s3.BUCKET}/town"

app = typer.Typer()
app.command()(demo)


def acquainted(base: str, other: str) -> dict[str, str]:
    """Parameters of a domain that is to get to know another."""
    service = f"{other}/services/orb"
    return {"EXTERNAL_ENDPOINT": base, "FOLLOW": service, "INVITE_WITNESS": service}


@pytest.fixture
def towns(
    tmp_path: Path, postgresql_url: str, rabbitmq_url: str, s3_server: Running
) -> Iterator[tuple[Town, Town]]:
    bases = [f"http://127.0.0.1:{free_port()}" for _ in range(2)]
    contents = {"CAS_URL": CONTENTS, **s3.environment(s3_server)}
    elsewhere = {"DATABASE_URL": postgresql_url, "MQ_URL": rabbitmq_url, **contents}
    made = []
    with ExitStack() as opened:
        for name, base, other, more in zip("ab", bases, reversed(bases), ({}, elsewhere), strict=True):
            (tmp_path / name).mkdir()
            told = acquainted(base, other) | more
            # One core each: two Sparks that start at once have no more.
            town = Town(tmp_path / name, "--master=local[1,4]", domains=1, parameters=told)
            made.append(opened.enter_context(town))
        home, away = made
        yield home, away


def test_domains_of_different_make_live_through_kills_and_resolve_alike(
    towns: tuple[Town, Town], s3_server: Running
) -> None:
    home, away = towns

    # Given two domains that have come to know each other, and DIDs on their way.
    def is_known(town: Town, other: str) -> bool:
        service = f"{other}/services/orb"
        return all(town.members(town.bases[0], each) == [service] for each in COLLECTIONS)

    for town, other in ((home, away), (away, home)):
        town.until(partial(is_known, town, other.bases[0]))
    home.bases += away.bases
    early = Dids(home, each=1)
    early.step("create")

    # When processes are killed while Spark is starting, each is started again, and that is told.
    before = {name: home.pid(name) for name in PROCESSES}

    def is_another(name: str) -> bool:
        return home.pid(name) not in {None, before[name]}

    for name in PROCESSES:
        assert home.kill(name)
    for name in PROCESSES:
        home.until(partial(is_another, name))
        assert f"{name} was ended by SIGKILL, and is started again in 0.5 s" in home.said
    for town in towns:
        town.wait_for_spark()

    # Then nothing that was accepted is lost, and a DID can be followed from its create to its end.
    early.wait("create")
    urls = [f"--url={base}" for base in home.bases]
    shown = CliRunner().invoke(app, [*urls, "--within=120"])
    assert shown.exit_code == 0, shown.output + home.logs() + away.logs()
    assert shown.output.count(f"by {away.bases[0]}, which resolves it alike") == 4
    assert "deactivated, for ever" in shown.output
    assert any(StoredContents(CONTENTS, s3.options(s3_server)).names())

    # And when the command itself is killed, nothing outlives it, and another start finds it as it was.
    bases, known = home.bases, [home.resolve(base, early.suffixes[0]) for base in home.bases]
    assert home.stop(signal.SIGKILL) == -signal.SIGKILL
    home.start("--no-pipelines")
    assert home.bases == bases[:1]
    assert home.members(bases[0], "witnesses") == [f"{away.bases[0]}/services/orb"]
    assert home.resolve(bases[0], early.suffixes[0]) == known[0]
    assert home.stop() == 0
    assert home.said.splitlines()[-1] == "stopping"
