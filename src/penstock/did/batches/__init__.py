"""Batches for those who look: from an operation that waits to a DID that resolves, as the database tells it.

Functions of a connection that write nothing: progress (how far batches are), waiting (what is in none yet),
contents (what became of each operation of one), anchors (what is anchored and observed), story (a DID, and
what has made it). Pure: judged.
"""
