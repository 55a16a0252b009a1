from __future__ import annotations

from penstock.wire.beanstalk import document, listing, read_document


def test_texts_are_quoted_and_words_and_numbers_are_not() -> None:
    assert document({"name": "a", "state": b"ready", "pri": 3}) == b'---\nname: "a"\nstate: ready\npri: 3\n'


def test_a_list_has_a_line_a_name() -> None:
    assert listing(["a", "b"]) == b"---\n- a\n- b\n"
    assert listing([]) == b"---\n"


def test_a_dictionary_is_read_back() -> None:
    written = document({"name": "a: b", "state": b"ready", "age": 7})
    assert read_document(written) == {"name": "a: b", "state": "ready", "age": "7"}
    assert read_document(b"---\nno pair\nname: mail\n") == {"name": "mail"}
