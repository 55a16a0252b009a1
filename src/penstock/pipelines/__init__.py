"""Queues feed Spark: sources, sinks, tables and jobs. The only package that imports pyspark.

Importing this costs nothing: executors import it with every source they run, and a broker without Spark may
stumble over it. Each file imports what it needs: `from penstock.pipelines.session import open_session`.
"""
