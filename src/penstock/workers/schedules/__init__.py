"""Schedules: jobs that wait under a key, and crons, in a database; and who puts them when they are due.

A delay without a key is the broker's to keep. A key can be cancelled and moved, which no broker offers for a
message in a queue, and a cron must fire once however many schedulers run: both need one place that decides.
A small table is that place, a SQLite file on one machine and PostgreSQL on many.
"""

from penstock.workers.schedules.scheduled import Scheduled
from penstock.workers.schedules.scheduler import Scheduler
from penstock.workers.schedules.store import Schedules

__all__ = ["Scheduled", "Scheduler", "Schedules"]
