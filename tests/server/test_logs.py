from __future__ import annotations

import io
import json
import logging
from typing import TYPE_CHECKING, Any

import pytest

from penstock.server.logs import JsonFormatter, TextFormatter, redacted, set_up
from penstock.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def _same_logger_afterwards() -> Iterator[None]:
    logger = logging.getLogger("penstock")
    before = logger.handlers[:], logger.level, logger.propagate
    yield
    logger.handlers[:], logger.propagate = before[0], before[2]
    logger.setLevel(before[1])


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(message: str, *args: object, **extra: Any) -> logging.LogRecord:
    logger = logging.getLogger("penstock.server")
    made = logger.makeRecord("penstock.server", logging.INFO, "f.py", 1, message, args, None, extra=extra)
    made.created = 1769860800.1234
    return made


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("amqp://ada:s3cret@host/vhost", "amqp://ada:***@host/vhost"),
        ("see amqps://ada:s3:c@ret@host:5671, please", "see amqps://ada:***@host:5671, please"),
        ("postgresql+psycopg://u:s3cret@db/x", "postgresql+psycopg://u:***@db/x"),
        ("amqp://host:5672/a", "amqp://host:5672/a"),
        ("password=s3cret", "password=***"),
        ("password: 's3 cret', next", "password: ***, next"),
        ('{"LOGIN": "ada", "PASSWORD": "s3 cret"}', '{"LOGIN": "ada", "PASSWORD": ***}'),
        ("default_password='s3cret')", "default_password=***)"),
        ("api_key=s3cret&x=1", "api_key=***&x=1"),
        ("Authorization: Bearer s3cret.abc", "Authorization: *** ***"),
        ("bearer s3cret-token", "bearer ***"),
        ("access_token = s3cret", "access_token = ***"),
        ("the password was wrong", "the password was wrong"),
        ("4 queues, 3 consumers", "4 queues, 3 consumers"),
    ],
)
def test_secrets_are_blotted_out(text: str, clean: str) -> None:
    assert redacted(text) == clean
    assert "s3" not in clean


def test_text_is_a_line_with_its_facts() -> None:
    line = TextFormatter().format(record("opened by %s", "ada", connection=3, password="s3cret"))  # noqa: S106
    assert line == "2026-01-31 12:00:00.123 INFO    server: opened by ada connection=3 password=***"


def test_what_a_peer_sent_cannot_begin_a_line_of_its_own() -> None:
    line = TextFormatter().format(record("queue %s", "a\r\n2026 INFO faked\x1b[2J", queue="x\ny"))
    assert line.endswith(r"queue a\r\n2026 INFO faked\x1b[2J queue=x\ny")


def test_json_is_an_object_a_line() -> None:
    line = JsonFormatter().format(
        record("opened\n%s", "amqp://a:s3cret@h", connection=3, peer=("h", 1), level="x")
    )
    assert "\n" not in line
    assert json.loads(line) == {
        "time": "2026-01-31T12:00:00.123+00:00",
        "level": "info",
        "logger": "penstock.server",
        "message": "opened\namqp://a:***@h",
        "connection": 3,
        "peer": "('h', 1)",
    }
    assert list(json.loads(line))[:4] == ["time", "level", "logger", "message"]


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()])
def test_tracebacks_are_told_without_secrets(formatter: logging.Formatter) -> None:
    entry = record("failed")
    try:
        int("amqp://ada:s3cret@host")
    except ValueError as exc:
        entry.exc_info = (ValueError, exc, exc.__traceback__)
    told = formatter.format(entry)
    assert "Traceback" in told
    assert "amqp://ada:***@host" in told
    # The line of this file that raised is quoted as well.
    assert "s3cret" not in told


@pytest.mark.parametrize(
    ("log_format", "stream", "is_json"),
    [
        ("auto", Terminal(), False),
        ("auto", io.StringIO(), True),
        ("text", io.StringIO(), False),
        ("json", Terminal(), True),
    ],
)
def test_the_form_fits_the_place(log_format: Any, stream: io.StringIO, is_json: bool) -> None:  # noqa: FBT001  a column
    set_up(Settings(log_format=log_format), stream)
    logging.getLogger("penstock.server").info("hello")
    assert stream.getvalue().startswith("{") is is_json


def test_the_level_is_the_settings_and_a_second_set_up_takes_over() -> None:
    first, second = io.StringIO(), io.StringIO()
    set_up(Settings(), first)
    set_up(Settings(log_level="warning", log_format="text"), second)
    log = logging.getLogger("penstock.server")
    log.info("quiet")
    log.warning("loud")
    assert first.getvalue() == ""
    assert second.getvalue().endswith("WARNING server: loud\n")


def test_without_a_stream_it_is_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    set_up(Settings(log_format="text"))
    logging.getLogger("penstock.server").error("hello")
    assert "server: hello" in capsys.readouterr().err
