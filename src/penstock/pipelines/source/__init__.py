"""The source: a queue as a Spark table, streamed or read once, each message exactly once."""
