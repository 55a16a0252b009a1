"""The observer on Spark: anchors of a domain's queues are spread over executors, and settled in the driver.

Where the work is done: executing. Live, as a pipeline: desk, pipeline. What can be done again: the
same work over all anchors is a replay (replay.py).
"""
