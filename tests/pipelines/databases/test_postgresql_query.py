from __future__ import annotations

from dataclasses import replace

import pytest

from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.databases.port import Asked
from penstock.pipelines.databases.postgresql_query import Block, select_block

ASKED = Asked(
    table="threads",
    key=(Column("id", Kind.INTEGER), Column("Voter's", Kind.TEXT)),
    content=(Column("price", Kind.FIXED, 2), Column("title", Kind.TEXT)),
)
BLOCK = Block("commons.threads", 8, 16)


def test_a_block_is_asked_for_as_one_row_of_columns() -> None:
    assert select_block(ASKED, BLOCK) == (
        "SELECT count(*), string_agg(int8send(key_0), ''),"
        " string_agg(int4send(octet_length(key_1::text)), ''),"
        " convert_to(string_agg(key_1::text, ''), 'UTF8'),"
        " string_agg(int4send(octet_length(content)), ''), convert_to(string_agg(content, ''), 'UTF8')"
        """ FROM (SELECT id::bigint AS key_0, "Voter's"::text AS key_1,"""
        " concat(price::numeric(1000, 2), '|', octet_length(title::text) || ':' || title::text) AS content"
        " FROM ONLY commons.threads WHERE ctid >= '(8,0)' AND ctid < '(16,0)' OFFSET 0) rows"
    )


def test_a_hash_is_made_of_values_and_not_of_words() -> None:
    query = select_block(replace(ASKED, is_hashed=True), BLOCK)
    assert (
        'hash_record_extended(ROW(price::numeric(1000, 2), title::text COLLATE "C"), 0) AS content' in query
    )
    assert "string_agg(int8send(content), '') FROM" in query


def test_a_table_of_keys_alone_has_no_content() -> None:
    assert "concat('') AS content" in select_block(replace(ASKED, content=()), BLOCK)


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("is_hashed", [True, False])
def test_every_kind_can_be_asked_for(kind: Kind, is_hashed: bool) -> None:  # noqa: FBT001 (a column of the table)
    asked = replace(ASKED, content=(Column("c d", kind),), is_hashed=is_hashed)
    assert '"c d"::' in select_block(asked, BLOCK)
