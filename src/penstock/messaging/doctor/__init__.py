"""The doctor: what of an application cannot run on a live broker, and why."""

from penstock.messaging.doctor.examining import demand_portable, examine, examine_broker, examine_plan
from penstock.messaging.doctor.finding import Finding, Severity
from penstock.messaging.doctor.rule import Rule
from penstock.messaging.doctor.rules import RULES

__all__ = [
    "RULES",
    "Finding",
    "Rule",
    "Severity",
    "demand_portable",
    "examine",
    "examine_broker",
    "examine_plan",
]
