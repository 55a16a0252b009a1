"""`penstock reconcile --copy`, with the Spark that all these tests share."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from penstock.cli.app import app
from penstock.pipelines import session

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

    from tests.pipelines.reconcile.shop import Shop


def run(*arguments: str) -> list[str]:
    result = CliRunner().invoke(app, ["reconcile", *arguments], env={"COLUMNS": "200"})
    assert result.exit_code == 0, result.output
    return result.output.splitlines()


def test_the_difference_is_shown_and_then_told(
    spark: SparkSession, new_shop: Callable[[str], Shop], monkeypatch: pytest.MonkeyPatch
) -> None:
    masters: list[str] = []

    def opened(_name: str, master: str, **_: str) -> object:
        masters.append(master)
        return nullcontext(spark)

    monkeypatch.setattr(session, "open_session", opened)
    shop, copy = new_shop("shared"), new_shop("copy").differ(updated=1, gone=2, more=77)
    where = copy.url.removeprefix("sqlite:////")
    arguments = ["--database", shop.url, "--copy", copy.url, "--exchange", "commons", "threads"]
    assert run("--dry-run", *arguments) == [
        f"threads in {where}: 1 to be created",
        f"threads in {where}: 1 to be deleted",
        f"threads in {where}: 1 to be updated",
        f"  {where}: threads created: id=2",
        f"  {where}: threads updated: id=1 (views -1 → 1)",
        f"  {where}: threads deleted: id=77",
        "threads: 1 created",
        "threads: 1 deleted",
        "threads: 1 updated",
        "3 would be told",
    ]
    with pytest.raises(Exception, match="no such table: penstock_outbox"):
        shop.told()
    assert run("--spark", "local[1]", "--verbose", *arguments) == [
        "threads updated: id=1",
        "threads created: id=2",
        "threads deleted: id=77",
        "threads: 1 created",
        "threads: 1 deleted",
        "threads: 1 updated",
        "3 told",
    ]
    assert masters == ["local[*]", "local[1]"]
    assert [message[:2] for message in shop.told()] == [
        ("commons", "threads.updated"),
        ("commons", "threads.created"),
        ("commons", "threads.deleted"),
    ]
