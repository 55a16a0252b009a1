"""The batch writer of a DID domain as a Spark pipeline: queued operations to anchored batches.

    driver's program        executors                     driver's program
    queue ── cut ──────────► read, judge, build, store ──► record ──► anchor ──► ack

Pure: choosing, outcome. In executors: files, deadly. Beside the driver, in Spark's planner:
stream. In the driver's program, on the domain's loop: desk, finishing, holding; between the two: ends; all
of it together: batch_writer.

How far a cut came is in the domain's database. Spark's checkpoint only spares an unneeded look: whatever is
killed, and whenever, the next life goes on with each cut where it is, and anchors it once.

Nothing is imported here: each of Spark's workers imports only what it runs.
"""
