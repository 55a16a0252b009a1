"""Nodes only hold."""

from __future__ import annotations

from dataclasses import FrozenInstanceError, fields
from typing import Any

import pytest

from penstock.wiring.selector import nodes

NODES = [getattr(nodes, name) for name in nodes.__all__ if name not in ("Condition", "Operand")]


@pytest.mark.parametrize("kind", NODES)
def test_a_node_never_changes(kind: Any) -> None:
    node = kind(*("x" for _ in fields(kind)))
    with pytest.raises(FrozenInstanceError):
        setattr(node, fields(kind)[0].name, "y")
    assert hash(node) == hash(kind(*("x" for _ in fields(kind))))


def test_equal_nodes_say_the_same() -> None:
    assert nodes.Compare("=", nodes.Name("a"), nodes.Literal(1)) == nodes.Compare(
        "=", nodes.Name("a"), nodes.Literal(1)
    )
    assert nodes.Between(nodes.Name("a"), nodes.Literal(1), nodes.Literal(2)) != nodes.Between(
        nodes.Name("a"), nodes.Literal(1), nodes.Literal(2), negated=True
    )
