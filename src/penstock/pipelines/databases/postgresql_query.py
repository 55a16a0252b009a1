"""What PostgreSQL is asked for a block of a table. Pure: text in, text out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from sqlalchemy.dialects import postgresql

from penstock.pipelines.databases.columns import Column, Kind
from penstock.pipelines.databases.port import CONTENT, key_names

if TYPE_CHECKING:
    from penstock.pipelines.databases.port import Asked

__all__ = ["PROBE", "Block", "quote", "select_block"]

quote = postgresql.dialect().identifier_preparer.quote  # type: ignore[no-untyped-call]  # SQLAlchemy tells no types here

#: How a value is worded. No wording is empty, so that NULL can be.
_WORDS: Final = {
    Kind.INTEGER: "{c}::bigint",
    Kind.BOOLEAN: "{c}::int",
    Kind.FIXED: "{c}::numeric(1000, {scale})",
    Kind.NUMERIC: "trim_scale({c}::numeric)",
    # Adding nothing makes one zero of the two.
    Kind.FLOAT: "encode(float8send({c}::float8 + 0), 'hex')",
    Kind.SINGLE: "encode(float4send({c}::float4 + 0::float4), 'hex')",
    Kind.TEXT: "{c}::text",
    Kind.BYTES: "'x' || encode({c}::bytea, 'hex')",
    # The session's time zone is UTC.
    Kind.MOMENT: "{c}::timestamp",
    Kind.DATE: "{c}::date",
    Kind.UUID: "lower(replace({c}::text, '-', ''))",
    Kind.JSON: "{c}::jsonb::text",
}
#: What may hold anything, also what stands between values: its length goes before it.
_FREE: Final = {Kind.TEXT, Kind.JSON}

#: What is hashed of a value, in types that hash alike whatever the column's own is.
_HASHED: Final = {
    Kind.INTEGER: "{c}::bigint",
    Kind.BOOLEAN: "{c}::int",
    Kind.FIXED: "{c}::numeric(1000, {scale})",
    Kind.NUMERIC: "{c}::numeric",
    Kind.FLOAT: "{c}::float8",
    Kind.SINGLE: "{c}::float4",
    # Byte by byte, whatever the column takes for equal.
    Kind.TEXT: '{c}::text COLLATE "C"',
    Kind.BYTES: "{c}::bytea",
    Kind.MOMENT: "{c}::timestamp",
    Kind.DATE: "{c}::date",
    Kind.UUID: "{c}::uuid",
    Kind.JSON: "{c}::jsonb",
}

#: One value of each of these types.
PROBE: Final = (
    "SELECT hash_record_extended(ROW(1::bigint, 2::int, 1.50::numeric, 0.5::float8, 0.5::float4,"
    " 'é'::text COLLATE \"C\", '\\x00ff'::bytea, '2026-01-02 03:04:05.5'::timestamp, '2026-01-02'::date,"
    " '00000000-0000-0000-0000-000000000001'::uuid, '{\"a\": [1, null]}'::jsonb), 0)"
)


class Block(NamedTuple):
    """Some pages of a table's file."""

    table: str
    first: int
    end: int


def select_block(asked: Asked, block: Block) -> str:
    """The query of one block: how many rows, then each column's bytes, a text's lengths before them."""
    names = key_names(asked)
    key = [f"{_words(column)} AS {name}" for name, column in zip(names, asked.key, strict=True)]
    content = f"{_content(asked)} AS {CONTENT}"
    gathered = [
        _integers(name) if column.kind is Kind.INTEGER else _text(f"{name}::text")
        for name, column in zip(names, asked.key, strict=True)
    ]
    gathered.append(_integers(CONTENT) if asked.is_hashed else _text(CONTENT))
    return (
        f"SELECT count(*), {', '.join(gathered)}"  # noqa: S608 (quoted)
        f" FROM (SELECT {', '.join([*key, content])} FROM ONLY {block.table}"
        # Without OFFSET the planner would write each expression twice into the query, and work it out twice.
        f" WHERE ctid >= '({block.first},0)' AND ctid < '({block.end},0)' OFFSET 0) rows"
    )


def _words(column: Column) -> str:
    return _WORDS[column.kind].format(c=quote(column.name), scale=column.scale)


def _part(column: Column) -> str:
    words = _words(column)
    return f"octet_length({words}) || ':' || {words}" if column.kind in _FREE else words


def _content(asked: Asked) -> str:
    if not asked.is_hashed:
        parts = ", '|', ".join(map(_part, asked.content)) or "''"
        return f"concat({parts})"
    values = [_HASHED[each.kind].format(c=quote(each.name), scale=each.scale) for each in asked.content]
    return f"hash_record_extended(ROW({', '.join(values)}), 0)"


def _integers(expression: str) -> str:
    return f"string_agg(int8send({expression}), '')"


def _text(expression: str) -> str:
    return (
        f"string_agg(int4send(octet_length({expression})), ''),"
        f" convert_to(string_agg({expression}, ''), 'UTF8')"
    )
