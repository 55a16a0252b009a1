"""Tasks that one instance of a domain runs for all: the operation queue's monitor, the database's expiry.

Pure: permit. Functions of a database connection: permits. At work: manager.
"""

from penstock.did.tasks.manager import TaskManager
from penstock.did.tasks.permits import TASKS
from penstock.did.tasks.task import Task

__all__ = ["TASKS", "Task", "TaskManager"]
