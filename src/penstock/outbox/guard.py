"""The guard: only the application's own role may write its shared tables (PostgreSQL).

A row that somebody changes past the application is a change that consumers are never told of. So, as in
Commonwealth, no connection but the application's has write access to tables that share data with another
service. `plan` says which statements bring that about, `other_writers` who could write in spite of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from sqlalchemy import text

from penstock.errors import OutboxError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy.engine import Connection

__all__ = ["Writer", "apply", "other_writers", "plan"]

#: What writing is. REFERENCES and TRIGGER are not: the one reads, the other runs with its owner's rights.
WRITES: Final = ("INSERT", "UPDATE", "DELETE", "TRUNCATE")


@dataclass(frozen=True, slots=True, kw_only=True)
class Writer:
    """A role that can write a table."""

    table: str
    role: str
    privileges: tuple[str, ...]
    #: superuser, owner, granted, granted to everybody, granted on columns, or through a role it is in.
    how: str

    @property
    def is_superuser(self) -> bool:
        """Whether no grant can keep it out."""
        return self.how == "superuser"

    def __str__(self) -> str:
        return f"{self.role} can {', '.join(self.privileges)} {self.table}: {self.how}"


#: The table's name as the server spells it, and its owner.
_TABLE: Final = text("""
SELECT c.oid, c.oid::regclass::text AS name, pg_get_userbyid(c.relowner) AS owner
FROM pg_class c WHERE c.oid = to_regclass(:name) AND c.relkind IN ('r', 'p')
""")
#: Grants on the table and on its columns: who has which; the empty name is everybody.
_GRANTS: Final = text("""
SELECT coalesce(r.rolname, '') AS role, a.privilege_type AS privilege, a.column_name
FROM (
    SELECT (aclexplode(relacl)).*, NULL::name AS column_name FROM pg_class WHERE oid = :oid
    UNION ALL
    SELECT (aclexplode(attacl)).*, attname FROM pg_attribute WHERE attrelid = :oid AND NOT attisdropped
) a LEFT JOIN pg_roles r ON r.oid = a.grantee
WHERE a.privilege_type = ANY(:writes)
ORDER BY 1, 3
""")
#: All roles that can write, whatever the way. The server's own pg_… cannot log in; who is in them is here.
_WRITERS: Final = text("""
SELECT r.rolname AS role, r.rolsuper AS is_superuser, p.privilege
FROM pg_roles r, unnest(CAST(:writes AS text[])) WITH ORDINALITY AS p(privilege, place)
WHERE NOT starts_with(r.rolname, 'pg_')
  AND (has_table_privilege(r.oid, CAST(:oid AS oid), p.privilege)
       OR p.privilege IN ('INSERT', 'UPDATE')
          AND has_any_column_privilege(r.oid, CAST(:oid AS oid), p.privilege))
ORDER BY r.rolname, p.place
""")
#: Sequences that the table's columns count by: who inserts must use them.
_SEQUENCES: Final = text("""
SELECT DISTINCT d.objid::regclass::text FROM pg_depend d JOIN pg_class c ON c.oid = d.objid
WHERE d.refobjid = :oid AND d.refclassid = 'pg_class'::regclass AND d.classid = 'pg_class'::regclass
  AND c.relkind = 'S' AND d.deptype = 'a'
""")


@dataclass(frozen=True, slots=True)
class _Table:
    oid: int
    name: str
    owner: str


def plan(connection: Connection, role: str, tables: Iterable[str]) -> list[str]:
    """The statements after which only the role, the owner and superusers can write the tables.

    Raises:
        OutboxError: there is no such table or role, or the database has no roles.
    """
    _check(connection, role)
    quote = connection.dialect.identifier_preparer.quote
    writes = ", ".join(WRITES)
    statements = []
    for table in _found(connection, tables):
        others, columns = _granted(connection, table, role)
        statements += [
            f"REVOKE {writes} ON {table.name} FROM {quote(other) if other else 'PUBLIC'}" for other in others
        ]
        # What is granted on a column stays when the table's own grant is taken back.
        statements += [
            f"REVOKE INSERT ({quote(column)}), UPDATE ({quote(column)}) ON {table.name}"
            f" FROM {quote(other) if other else 'PUBLIC'}"
            for other, column in columns
        ]
        statements.append(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {table.name} TO {quote(role)}")
        statements += [
            f"GRANT USAGE ON SEQUENCE {sequence} TO {quote(role)}"
            for sequence in connection.scalars(_SEQUENCES, {"oid": table.oid})
        ]
    return statements


def apply(connection: Connection, statements: Sequence[str]) -> None:
    """Run a plan, within the transaction that is open here."""
    for statement in statements:
        connection.exec_driver_sql(statement)


def other_writers(connection: Connection, role: str, tables: Iterable[str]) -> list[Writer]:
    """Every other role that can write the tables, and why it can.

    Raises:
        OutboxError: there is no such table or role, or the database has no roles.
    """
    _check(connection, role)
    return [
        writer
        for table in _found(connection, tables)
        for writer in _writers(connection, table)
        if writer.role != role
    ]


def _writers(connection: Connection, table: _Table) -> list[Writer]:
    parameters = {"oid": table.oid, "writes": list(WRITES)}
    grants = connection.execute(_GRANTS, parameters).all()
    on_table = {role for role, _, column in grants if column is None}
    on_columns = {role for role, _, column in grants if column is not None}
    found: dict[str, Writer] = {}
    for role, is_superuser, privilege in connection.execute(_WRITERS, parameters):
        reasons = (
            (is_superuser, "superuser"),
            (role == table.owner, "owner"),
            (role in on_table, "granted"),
            (role in on_columns, "granted on columns"),
            ("" in on_table | on_columns, "granted to everybody"),
        )
        how = next((reason for holds, reason in reasons if holds), "through a role that it is in")
        before = found[role].privileges if role in found else ()
        found[role] = Writer(table=table.name, role=role, privileges=(*before, privilege), how=how)
    return list(found.values())


def _granted(connection: Connection, table: _Table, role: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Who else was granted writing: on the table, and on which columns. The empty role is everybody."""
    grants = connection.execute(_GRANTS, {"oid": table.oid, "writes": list(WRITES)}).all()
    others = [(other, column) for other, _, column in grants if other not in {role, table.owner}]
    whole = {other for other, column in others if column is None}
    columns = {(other, column) for other, column in others if column is not None}
    return sorted(whole), sorted(columns)


def _found(connection: Connection, tables: Iterable[str]) -> list[_Table]:
    found = []
    for name in tables:
        row = connection.execute(_TABLE, {"name": name}).one_or_none()
        if row is None:
            raise OutboxError(f"there is no table {name}")
        found.append(_Table(*row))
    return found


def _check(connection: Connection, role: str) -> None:
    if connection.dialect.name != "postgresql":
        raise OutboxError(f"{connection.dialect.name} has no roles: whoever opens the file can write it")
    if not connection.scalar(text("SELECT 1 FROM pg_roles WHERE rolname = :role"), {"role": role}):
        raise OutboxError(f"there is no role {role}")
