"""The spool: messages of a broker that has no readers, kept in files until Spark is done with them."""
