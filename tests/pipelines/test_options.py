from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penstock.errors import BadSetting, UnknownSetting
from penstock.pipelines import options
from penstock.pipelines.decoding import BAD, BAD_BODY
from penstock.pipelines.options import SinkOptions, SourceOptions, resolve
from penstock.wire.arrow import ALL_COLUMNS

ROOT = Path(__file__).resolve().parents[2]

SOURCE = {"url": "amqp://me:sesame@host", "queue": "orders"}


def test_names_may_be_in_any_case_and_numbers_are_read() -> None:
    found = SourceOptions.read({**SOURCE, "MAX_ROWS": "50", "columns": "body, header_tenant", "spool": "/s"})

    assert (found.max_rows, found.columns, found.spool) == (50, ("body", "header_tenant"), "/s")
    assert (found.reader, found.partitions, found.max_bytes) == ("spark", 2, None)


def test_what_spark_adds_is_passed_over() -> None:
    found = SinkOptions.read(
        {"url": SOURCE["url"], "checkpointLocation": "/c", "path": "x", "routing_key": ""}
    )

    assert found.routing_key == ""


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"max_rows": "0"}, "option max_rows: is a whole number from 1 on, not '0'"),
        ({"max_bytes": "1k"}, "option max_bytes: is a whole number from 1 on, not '1k'"),
        ({"partitions": "-1"}, "option partitions"),
        ({"reader": ""}, "option reader: must not be empty"),
        ({"columns": "body,subject"}, "option columns: there is no column 'subject', only position"),
        ({"columns": "body,body"}, "option columns: a column is named twice"),
        ({"columns": "header_"}, "there is no column 'header_'"),
        ({"url": "http://host"}, "option url: a broker's URL begins with amqp://"),
        ({"url": "beanstalk://host/vhost"}, "option url: a beanstalk URL has no path"),
        ({"queue": None}, "option queue is missing"),
        ({"url": None}, "option url is missing"),
    ],
)
def test_what_cannot_be_is_told(changes: dict[str, Any], told: str) -> None:
    given = {name: value for name, value in {**SOURCE, **changes}.items() if value is not None}

    with pytest.raises(BadSetting, match=told) as caught:
        SourceOptions.read(given)
    assert caught.value.setting in {**SOURCE, **changes}


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"bad_rows": "ignore"}, "option bad_rows: is fail or skip, not 'ignore'"),
        ({"timeout": "soon"}, "option timeout: is a number of seconds, not 'soon'"),
        ({"timeout": "-1"}, "option timeout: is a number of seconds, not '-1'"),
    ],
)
def test_what_a_sink_cannot_have_is_told(changes: dict[str, str], told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        SinkOptions.read({"url": SOURCE["url"], **changes})


def test_an_unknown_option_is_told_with_the_nearest() -> None:
    with pytest.raises(UnknownSetting, match=r"no option maxrows: did you mean max_rows\?"):
        SourceOptions.read({**SOURCE, "maxrows": "1"})
    with pytest.raises(UnknownSetting, match="no option xyz: there are url, queue"):
        SourceOptions.read({**SOURCE, "xyz": "1"})


def test_no_password_is_shown() -> None:
    assert "sesame" not in repr(SourceOptions.read(SOURCE))
    assert "sesame" not in repr(SinkOptions.read({"url": SOURCE["url"]}))


def test_a_url_may_stand_in_the_environment_or_in_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ORDERS_URL", "amqp://one")
    (tmp_path / "url").write_text("amqp://two\n")

    assert resolve("env:ORDERS_URL") == "amqp://one"
    assert resolve(f"file:{tmp_path}/url") == "amqp://two"
    assert resolve("amqp://three") == "amqp://three"
    assert SourceOptions.read({"url": "env:ORDERS_URL", "queue": "q"}).url == "env:ORDERS_URL"


def test_a_reference_that_leads_nowhere_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadSetting, match="environment variable NOWHERE is not set"):
        resolve("env:NOWHERE")
    with pytest.raises(BadSetting, match="cannot be read: No such file"):
        resolve(f"file:{tmp_path}/nothing")


def test_every_option_and_column_is_documented() -> None:
    page = (ROOT / "docs" / "reference" / "spark-options.md").read_text()

    for name in [*options._SOURCE, *options._SINK, *ALL_COLUMNS, BAD, BAD_BODY]:
        assert f"`{name}`" in page, name
