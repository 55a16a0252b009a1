"""Sidetree, pure: DID operations from posted bytes to resolved documents.

Values in, values out: no clock, no disk, no network. `now` is an argument, and so is everything that was
read somewhere. Written after the Sidetree specification 1.0; where ION, sidetree.js and Orb differ from it,
what they write is taken.
"""
