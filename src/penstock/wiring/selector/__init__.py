"""Selector statements: SQL-92 WHERE conditions, as JMS defines message selectors.

    parse("region = 'eu' AND weight > 5").matches({"region": "eu", "weight": 7})

Text → nodes (parsing, building, literals) → functions (evaluating, like, values), the canonical text
(printing), reasons (reasons) and what an index can use (planning). Differences from JMS 2.0 §3.8.1:
IN lists numbers too; "x-region" in double quotes is a name; a leading 0 is refused, not octal.
"""

from penstock.wiring.selector.selector import Selector, parse

__all__ = ["Selector", "parse"]
