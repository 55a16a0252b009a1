"""What each command does: one table for those that come alone, one for those that come in runs."""

from penstock.server.beanstalk.verbs.table import RUNS, VERBS

__all__ = ["RUNS", "VERBS"]
