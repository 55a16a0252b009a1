from __future__ import annotations

from penstock.cli.message_lines import as_lines, harmless


def test_a_message_is_a_line_its_headers_and_its_body() -> None:
    message = {
        "position": 7,
        "exchange": "topic",
        "routing_key": "order.new",
        "redelivered": True,
        "properties": {"type": "Order", "headers": {"region": "eu", "a": 1}},
        "payload": "one\ntwo",
    }
    assert list(as_lines(message, None)) == [
        "#7  topic order.new  type=Order  redelivered",
        "  a: 1",
        "  region: eu",
        "  | one",
        "  | two",
    ]


def test_a_long_body_is_cut_and_says_so() -> None:
    [head, body, more] = as_lines({"routing_key": "q", "payload": "x" * 20, "properties": []}, 5)
    assert (head, body) == ("queue q", "  | xxxxx")
    assert "15 characters more" in more


def test_bytes_that_are_no_text_say_how_they_are_written() -> None:
    assert list(as_lines({"payload": "/wAB", "payload_encoding": "base64"}, 100))[1] == "  | base64 /wAB"


def test_what_a_terminal_would_act_upon_is_shown_instead() -> None:
    assert harmless("a\x1b[2Jb\u202e\nc") == "a\\x1b[2Jb\\u202e\\nc"
    assert list(as_lines({"payload": "\x1b[31mred"}, 100))[1] == "  | \\x1b[31mred"
