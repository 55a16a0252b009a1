"""Sidetree, pure: DID operations from posted bytes to resolved documents.

Values in, values out: no clock, no disk, no network. `now` is an argument, and so is everything that was
read somewhere. Written after the Sidetree specification 1.0; where ION, sidetree.js and Orb differ from it,
what they write is taken.

    bytes        canonical (numbers, depth), base64url, base58, multihash, keys, jws, signing
    operations   protocol, suffix_data, delta, patches/, signed_data, operations, requests; what their parts
                 may be: shapes, uris, origins; all of it at one look, for nearly all operations: usual/
    taken in     ingestion: may it be taken in, and why not; outcomes: the same as a value
    batches      batches/: judge, plan, build; files/: the five files, both ways
    resolved     anchored, applying, resolution, state
    shown        did, methods, documents, results, instants
"""
