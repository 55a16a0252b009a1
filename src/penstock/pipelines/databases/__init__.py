"""Tables of SQL databases as Spark reads them: in parallel, as Arrow, in words that all databases share."""
