from __future__ import annotations

import errno

import pytest
import typer

from penstock.cli.errors import explained
from penstock.errors import (
    BadConfiguration,
    BadSetting,
    CannotListen,
    PenstockError,
    SettingsError,
    UnknownUser,
)


@pytest.mark.parametrize(
    ("error", "code", "told"),
    [
        (SettingsError("no file"), 2, "no file"),
        (BadSetting("heartbeat: no", setting="heartbeat"), 2, "heartbeat: no"),
        (CannotListen("cannot listen", setting="amqp"), 2, "cannot listen"),
        (BadConfiguration("template 'x': no"), 2, "template 'x': no"),
        (UnknownUser("there is no user 'x'"), 1, "there is no user 'x'"),
        (PenstockError(), 1, "Something in Penstock did not work out."),
        (PenstockError("two\nlines of amqp://a:s3cret@h"), 1, "two lines of amqp://a:***@h"),
        (PermissionError(13, "Permission denied", "/data"), 1, "[Errno 13] Permission denied: '/data'"),
        (
            OSError(errno.EADDRINUSE, "not free"),
            2,
            "not free: change the address of the listener, e.g. --amqp 127.0.0.1:0 for a free port",
        ),
    ],
)
def test_an_expected_error_is_one_line_and_a_code(
    error: Exception, code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(typer.Exit) as caught, explained():
        raise error
    assert caught.value.exit_code == code
    assert capsys.readouterr().err == f"penstock: {told}\n"


def test_what_others_have_said_does_nothing_to_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(typer.Exit), explained():
        raise PenstockError("the domain says \x1b]0;no\x07")
    assert capsys.readouterr().err == "penstock: the domain says \\x1b]0;no\\x07\n"


def test_an_unexpected_error_keeps_its_traceback() -> None:
    with pytest.raises(ZeroDivisionError), explained():
        _ = 1 / 0


def test_who_has_read_enough_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BrokenPipeError), explained():
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")
    assert capsys.readouterr().err == ""


def test_no_error_is_no_news(capsys: pytest.CaptureFixture[str]) -> None:
    with explained():
        pass
    assert capsys.readouterr().err == ""
