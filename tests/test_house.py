"""The habits a linter does not know. Each test names all offenders at once."""

from __future__ import annotations

import ast
import importlib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "penstock"
SOURCES = sorted(PACKAGE.rglob("*.py"))
WRITTEN = sorted(
    file for folder in ("src", "tests", "bench", "examples") for file in (ROOT / folder).rglob("*.py")
)

#: Lines a file may have before it must be split; one that starts by saying it is generated is exempt.
LONGEST = 600


def shown(offenders: list[str]) -> str:
    return "\n  ".join(["", *offenders])


def does_something(statement: ast.stmt) -> bool:
    """Whether it is more than a docstring, `...` or `pass`."""
    return not isinstance(statement, ast.Pass) and not (
        isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
    )


def has_code(tree: ast.Module) -> bool:
    """Whether any function in it has a body: constants, types and ports need no test of their own."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return any(does_something(statement) for function in functions for statement in function.body)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("X = 1", False),
        ("class Port(Protocol):\n  def verb(self) -> None:\n    '''Do it.'''", False),
        ("class Port(ABC):\n  async def verb(self) -> None: ...", False),
        ("def verb(): return 1", True),
        ("class Adapter:\n  async def verb(self):\n    '''Do it.'''\n    await it()", True),
    ],
)
def test_a_file_without_a_function_body_has_no_code(source: str, expected: bool) -> None:  # noqa: FBT001  a column of the table
    assert has_code(ast.parse(source)) is expected


def test_tests_mirror_the_tree() -> None:
    offenders = []
    for source in SOURCES:
        inside = source.relative_to(PACKAGE)
        own_test = Path("tests") / inside.with_name(f"test_{inside.name.lstrip('_')}")
        is_entrance = source.name in {"__init__.py", "__main__.py"}
        if (
            not is_entrance
            and not (ROOT / own_test).exists()
            and has_code(ast.parse(source.read_text(), str(source)))
        ):
            offenders.append(f"{source.relative_to(ROOT)} has no {own_test}")
    assert not offenders, shown(offenders)


def test_every_package_lists_real_names_once() -> None:
    # Their order is ruff's business (RUF022).
    offenders = []
    for source in PACKAGE.rglob("__init__.py"):
        name = ".".join(source.parent.relative_to(PACKAGE.parent).parts)
        package = importlib.import_module(name)
        listed = getattr(package, "__all__", None)
        if listed is None:
            if len(ast.parse(source.read_text()).body) > 1:
                offenders.append(f"{name} has no __all__")
            continue
        offenders += [
            f"{name}.__all__ lists {entry}, which is not there"
            for entry in listed
            if not hasattr(package, entry)
        ]
        offenders += [
            f"{name}.__all__ lists {entry} twice" for entry in set(listed) if listed.count(entry) > 1
        ]
    assert not offenders, shown(sorted(offenders))


def test_no_file_is_too_long() -> None:
    offenders = []
    for file in WRITTEN:
        lines = file.read_text().splitlines()
        if len(lines) > LONGEST and "generated" not in " ".join(lines[:5]).lower():
            offenders.append(f"{file.relative_to(ROOT)} has {len(lines)} lines")
    assert not offenders, shown(offenders)
