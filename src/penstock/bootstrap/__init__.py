"""Bootstrap: where parts that are strangers to each other are put together for a program.

The panel shows schedules, pipelines and batches through a port of its own; here are the adapters to those who
have them.
"""
