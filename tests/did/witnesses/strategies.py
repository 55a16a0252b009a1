"""Policies and witnesses of every kind, small enough to be looked at."""

from __future__ import annotations

from hypothesis import strategies as st

from penstock.did.witnesses.policy import Policy, Requirement
from penstock.did.witnesses.witness import BATCH, SYSTEM, Witness

REQUIREMENTS = st.builds(Requirement, number=st.integers(0, 4), percent=st.integers(0, 100))
POLICIES = st.builds(
    Policy, batch=REQUIREMENTS, system=REQUIREMENTS, either=st.booleans(), log_required=st.booleans()
)
WITNESSES = st.lists(
    st.builds(
        Witness,
        iri=st.sampled_from([f"https://{number}" for number in range(8)]),
        role=st.sampled_from([BATCH, SYSTEM]),
        has_log=st.booleans(),
        has_proof=st.booleans(),
        answers=st.booleans(),
    ),
    max_size=12,
    unique_by=lambda witness: (witness.iri, witness.role),
)
