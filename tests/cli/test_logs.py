from __future__ import annotations

import logging

import pytest

from penstock.cli.logs import set_up_logs, set_up_spans
from penstock.errors import BadSetting
from penstock.messaging.tracing import exporting


def test_the_environment_says_what_is_logged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PENSTOCK_LOG_LEVEL", "warning")
    monkeypatch.setenv("PENSTOCK_LOG_FORMAT", "json")
    set_up_logs()
    logging.getLogger("penstock.sample").info("not this")
    logging.getLogger("penstock.sample").warning("this")
    (line,) = capsys.readouterr().err.splitlines()
    assert '"this"' in line


def test_what_cannot_be_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_LOG_LEVEL", "loud")
    with pytest.raises(BadSetting, match="PENSTOCK_LOG_LEVEL"):
        set_up_logs()


def test_the_environment_says_where_spans_go(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[str | None, str]] = []
    told = lambda environ, service: asked.append((environ.get("OTEL_TRACES_EXPORTER"), service))
    monkeypatch.setattr(exporting, "set_up_spans", told)
    monkeypatch.setenv("OTEL_TRACES_EXPORTER", "console")
    set_up_spans("penstock worker")
    assert asked == [("console", "penstock worker")]
