from __future__ import annotations

import contextlib
import io
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
import sqlalchemy as sa

from penstock.errors import BadSetting
from penstock.pipelines.databases.reading import cheapest, readable, rows_of
from tests.pipelines.databases.tables import ROWS, asked, filled

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_spark_reads_a_table_and_its_plan_does_not_tell_how(spark: SparkSession, postgresql_url: str) -> None:
    engine = sa.create_engine(postgresql_url)
    filled(engine)
    engine.dispose()
    # Everybody is let in, whatever the password.
    url = sa.make_url(postgresql_url).set(password="pass-word").render_as_string(hide_password=False)  # noqa: S106 (of nothing)
    with rows_of(spark, readable(url, asked())) as rows:
        assert rows.dtypes == [("key_0", "bigint"), ("key_1", "string"), ("content", "string")]
        with contextlib.redirect_stdout(io.StringIO()) as shown:
            rows.explain(mode="extended")
        assert "pass-word" not in shown.getvalue()
        assert "MapInArrow" in shown.getvalue()
        found = {(row[0], row[1]) for row in rows.collect()}
    assert found == {(row["id"], row["part"]) for row in ROWS}


def test_databases_hash_only_if_all_do_it_alike(postgresql_url: str) -> None:
    assert cheapest(asked(), [postgresql_url, postgresql_url]).is_hashed
    assert not cheapest(asked(), [postgresql_url, "sqlite:///copy.db"]).is_hashed
    keys_only = replace(asked(), content=())
    assert cheapest(keys_only, [postgresql_url, postgresql_url]) == keys_only


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("no url", "a database is named like"),
        ("mysql://db/commons", "tables are read from PostgreSQL or SQLite, not from mysql"),
    ],
)
def test_other_databases_are_refused(url: str, message: str) -> None:
    with pytest.raises(BadSetting, match=message):
        readable(url, asked())
