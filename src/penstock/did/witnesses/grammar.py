"""The words of a witness policy.

    OutOf(2,system) AND MinPercent(50,batch) LogRequired

    OutOf(n,role)        proofs of n witnesses of the role are enough; 0: none is needed
    MinPercent(p,role)   proofs of p of a hundred are enough
    LogRequired          only witnesses with a ledger count
    AND, OR              both roles are needed, or one is enough; the last one said holds

Words are separated by spaces, and have none inside. A role that is not mentioned must give all. Pure.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from penstock.did.witnesses.policy import ALL, Policy
from penstock.did.witnesses.witness import ROLES
from penstock.errors import BadWitnessPolicy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["attainable_policy", "parse_policy"]

WORD: Final = re.compile(r"\S+")
#: A rule with its arguments, whatever they are.
RULE: Final = re.compile(r"(?P<name>[A-Za-z]+)\((?P<arguments>[^()]*)\)")
LOG_REQUIRED: Final = "LogRequired"
NUMBER: Final = re.compile(r"[0-9]{1,9}")


def parse_policy(text: str) -> Policy:
    """Read a policy; an empty one asks for all witnesses.

    Raises:
        BadWitnessPolicy: with the column where it goes wrong.
    """
    policy = Policy()
    for word in WORD.finditer(text):
        try:
            policy = _take(policy, word[0])
        except ValueError as exc:
            raise BadWitnessPolicy(str(exc), policy=text, column=word.start() + 1) from exc
    return policy


def attainable_policy(text: str) -> Policy:
    """Read a policy that is to be followed from now on: no anchor must wait for what cannot come.

    A ledger (VCT) is kept by no domain of Penstock. One of Orb's own may keep one, but nobody here looks into
    it, and it cannot vouch for what is signed as canonical JSON (suites.py).

    Raises:
        BadWitnessPolicy: it is none, or demands ledgers.
    """
    policy = parse_policy(text)
    if policy.log_required:
        raise BadWitnessPolicy(
            f"{LOG_REQUIRED} cannot be met: no witness that can vouch for this domain keeps a ledger",
            policy=text,
            column=text.index(LOG_REQUIRED) + 1,
        )
    return policy


def _take(policy: Policy, word: str) -> Policy:
    if word in _WORDS:
        return _WORDS[word](policy)
    rule = RULE.fullmatch(word)
    if rule is None or rule["name"] not in _RULES:
        known = ", ".join([f"{name}(…)" for name in _RULES] + list(_WORDS))
        raise ValueError(f"{word!r} is no word of a witness policy, but {known} are")
    name, arguments = rule["name"], rule["arguments"].split(",")
    if len(arguments) != 2:  # noqa: PLR2004  as the message says
        raise ValueError(f"{name} has two arguments, a number and a role")
    number, role = arguments
    if not NUMBER.fullmatch(number):
        raise ValueError(f"the first argument of {name} is a whole number from 0, not {number!r}")
    if role not in ROLES:
        raise ValueError(f"the second argument of {name} is {' or '.join(ROLES)}, not {role!r}")
    return _RULES[name](policy, int(number), role)


def _out_of(policy: Policy, number: int, role: str) -> Policy:
    before = policy.of(role)
    # None is needed, so no share of them is.
    percent = before.percent if number else 0
    return policy.asking(role, replace(before, number=number, percent=percent))


def _min_percent(policy: Policy, percent: int, role: str) -> Policy:
    if percent > ALL:
        raise ValueError(f"the first argument of MinPercent is at most {ALL}, not {percent}")
    return policy.asking(role, replace(policy.of(role), percent=percent))


_RULES: Final[Mapping[str, Callable[[Policy, int, str], Policy]]] = {
    "OutOf": _out_of,
    "MinPercent": _min_percent,
}
_WORDS: Final[Mapping[str, Callable[[Policy], Policy]]] = {
    LOG_REQUIRED: lambda policy: replace(policy, log_required=True),
    "AND": lambda policy: replace(policy, either=False),
    "OR": lambda policy: replace(policy, either=True),
}
