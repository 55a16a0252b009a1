"""A DID domain: operations are queued, cut into batches, stored by content, anchored, witnessed and observed.

What is pure of Sidetree lives in `penstock.sidetree`; here are the parts that meet databases, brokers,
storage and other domains, and the formats that domains speak with each other.
"""
