"""Witnesses of an anchor: how many must sign it, whether they have, and whom to ask. Pure.

policy = parse_policy("OutOf(2,system) AND MinPercent(50,batch)")
select(policy, witnesses, chance=random)
policy.is_met(witnesses)
"""

from penstock.did.witnesses.grammar import attainable_policy, parse_policy
from penstock.did.witnesses.policy import Policy, Requirement
from penstock.did.witnesses.selection import select, select_further
from penstock.did.witnesses.witness import BATCH, SYSTEM, Witness

__all__ = [
    "BATCH",
    "SYSTEM",
    "Policy",
    "Requirement",
    "Witness",
    "attainable_policy",
    "parse_policy",
    "select",
    "select_further",
]
