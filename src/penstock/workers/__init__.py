"""Workers: jobs on queues, done by the handlers of their routes, on every broker.

    routes = Routes("bg_building")

    @routes.route("/building/finishUpgrade")
    async def finish_upgrade(job: Job[Upgrade]) -> None: ...

`penstock worker game:routes` does the jobs; `Jobs` puts them: now, later, by a key that can be cancelled, or
waiting for the result. Pure: form, route, routes, cron, judging, queues, reply. With a broker: jobs, asking,
reporting, worker. With a database: schedules/.
"""

from penstock.workers.asking import Asked
from penstock.workers.cron import Cron
from penstock.workers.job import Job
from penstock.workers.jobs import Jobs
from penstock.workers.route import Place, Route
from penstock.workers.routes import Routes
from penstock.workers.schedules import Scheduled, Schedules
from penstock.workers.worker import Worker

__all__ = [
    "Asked",
    "Cron",
    "Job",
    "Jobs",
    "Place",
    "Route",
    "Routes",
    "Scheduled",
    "Schedules",
    "Worker",
]
