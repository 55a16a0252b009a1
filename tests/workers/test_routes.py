from __future__ import annotations

import msgspec
import pytest

from penstock.errors import BadSchedule, InvalidMessage, MessagingError, UnknownRoute
from penstock.workers.job import Job  # noqa: TC001  annotations are read
from penstock.workers.routes import Routes


class Upgrade(msgspec.Struct):
    building_id: int


async def finish(job: Job[Upgrade]) -> None: ...


def test_a_job_finds_its_handler_and_its_content() -> None:
    routes = Routes()
    assert routes.route("/building/finishUpgrade", time_limit=5)(finish) is finish
    taken = routes.read(b'{"route": "/building/finishUpgrade", "user_id": 3, "content": {"building_id": 7}}')
    assert (taken.route.handler, taken.route.time_limit) == (finish, 5)
    assert (taken.user_id, taken.content) == (3, Upgrade(7))
    assert repr(routes) == "<Routes /building/finishUpgrade>"


@pytest.mark.parametrize("route", ["/building/finishWork", "os.system", "finish", ""])
def test_nothing_is_looked_up_but_in_the_registry(route: str) -> None:
    routes = Routes()
    routes.route("/building/finishUpgrade")(finish)
    with pytest.raises(UnknownRoute, match="no handler here is for the route"):
        routes.read(msgspec.json.encode({"route": route, "content": {}}))


def test_a_content_of_another_kind_is_refused() -> None:
    routes = Routes()
    routes.route("/building/finishUpgrade")(finish)
    with pytest.raises(InvalidMessage, match="building_id"):
        routes.read(b'{"route": "/building/finishUpgrade", "content": {}}')


def test_a_route_has_one_handler() -> None:
    routes = Routes()
    routes.route("/a")(finish)
    with pytest.raises(MessagingError, match="/a has a handler already"):
        routes.route("/a")(finish)


def test_routes_of_several_modules_make_a_general_worker() -> None:
    buildings, fleets, everything = Routes("bg_building"), Routes("bg_fleet", priorities=False), Routes()
    buildings.route("/building/finishUpgrade")(finish)
    fleets.route("/fleet/arrives")(finish)
    fleets.cron("@hourly", "bg_fleet", "/fleet/arrives")
    everything.include(buildings, fleets)
    assert everything.queues == ("bg_building", "bg_fleet")
    kept = [everything.keeps_priorities(queue) for queue in (*everything.queues, "elsewhere")]
    assert kept == [True, False, True]
    assert [route.name for route in everything] == ["/building/finishUpgrade", "/fleet/arrives"]
    assert list(everything.recurring) == ["bg_fleet /fleet/arrives"]


def test_a_cron_has_a_name_that_is_its_own() -> None:
    routes = Routes()
    routes.cron("@hourly", "bg_captcha", "/captcha/generate", {"size": 3}, priority=9)
    (cron,) = routes.recurring.values()
    assert cron.body == b'{"route":"/captcha/generate","content":{"size":3}}'
    assert (cron.queue, cron.priority, str(cron.cron)) == ("bg_captcha", 9, "@hourly (UTC)")
    with pytest.raises(MessagingError, match="two crons are called"):
        routes.cron("@daily", "bg_captcha", "/captcha/generate")
    routes.cron("@daily", "bg_captcha", "/captcha/generate", name="daily", zone="Europe/London")
    with pytest.raises(BadSchedule):
        routes.cron("whenever", "bg_captcha", "/captcha/generate", name="other")
