"""The usual shapes: what nearly every operation is made of, recognised by msgspec in one look.

A shape is a Struct whose members stand in canonical order and allow less than the rules do. What reads as
one, and is written as the very same bytes again, is canonical, has nothing twice and nothing unknown, and
holds by every rule: no other question need be asked. What does not is not wrong for that: it is looked at by
the plain road, which alone can say no, and why.
"""

from penstock.sidetree.usual.deltas import are_usual_deltas, is_usual_delta
from penstock.sidetree.usual.signed_data import usual_signed_data
from penstock.sidetree.usual.taken import are_taken
from penstock.sidetree.usual.usual import Usual

__all__ = ["Usual", "are_taken", "are_usual_deltas", "is_usual_delta", "usual_signed_data"]
