"""A DID domain's work on Spark: batches are written, anchors observed, and all of it replayed or audited.

Executors open the parts of a domain that they need from its places, and keep nothing.
"""
