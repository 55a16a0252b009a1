from __future__ import annotations

from typing import Any

import msgspec
import pytest

from penstock.errors import InvalidMessage, MessagingError
from penstock.workers.job import Job  # noqa: TC001  annotations are read
from penstock.workers.route import Place, Route


class Upgrade(msgspec.Struct):
    building_id: int


class Work(msgspec.Struct):
    work: int


async def typed(job: Job[Upgrade]) -> None: ...
async def untyped(job: Job[Any]) -> None: ...
async def bare(job) -> None: ...  # type: ignore[no-untyped-def]  # noqa: ANN001
def plain(job: Job[dict[str, int]]) -> None: ...


class Callable:
    async def __call__(self, job: Job[Upgrade]) -> None: ...


@pytest.mark.parametrize("handler", [typed, Callable()], ids=["function", "object"])
def test_the_content_is_what_the_annotation_says(handler: Any) -> None:
    assert Route(name="/a", handler=handler).read(b'{"building_id": 7}') == Upgrade(7)


@pytest.mark.parametrize("handler", [untyped, bare], ids=["any", "nothing said"])
def test_without_an_annotation_any_content_will_do(handler: Any) -> None:
    assert Route(name="/a", handler=handler).read(b'{"a": [1]}') == {"a": [1]}


def test_another_content_is_refused_with_the_reason() -> None:
    with pytest.raises(InvalidMessage, match=r"the content is not what /a takes: .*building_id"):
        Route(name="/a", handler=typed).read(b'{"building_id": "seven"}')


def test_a_handler_runs_where_it_can() -> None:
    places = [
        Route(name="/a", handler=handler, process=process).place
        for handler, process in ((typed, False), (Callable(), False), (plain, False), (plain, True))
    ]
    assert places == [Place.LOOP, Place.LOOP, Place.THREAD, Place.PROCESS]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"name": ""}, "a route has a name"),
        ({"time_limit": 0}, "can be done in 0 s"),
        ({"handler": typed, "process": True}, "is async, so it runs here"),
        ({"handler": lambda: None}, "takes the job, and nothing else"),
        ({"handler": lambda job, context: None}, "takes the job, and nothing else"),
    ],
)
def test_a_route_that_cannot_be_is_refused(options: dict[str, Any], why: str) -> None:
    with pytest.raises(MessagingError, match=why):
        Route(**{"name": "/a", "handler": plain, **options})


def test_a_handler_that_wants_something_else_than_a_job_is_refused() -> None:
    async def wrong(job: Upgrade) -> None: ...
    async def unchecked(job: Job[Upgrade | Work]) -> None: ...
    async def unknown(job: Job[Nobody]) -> None: ...  # type: ignore[name-defined]  # noqa: F821

    with pytest.raises(MessagingError, match="takes a Job"):
        Route(name="/a", handler=wrong)
    with pytest.raises(MessagingError, match="cannot be checked"):
        Route(name="/a", handler=unchecked)
    with pytest.raises(MessagingError, match=r"'Nobody' is not defined; .* not under `if TYPE_CHECKING:`"):
        Route(name="/a", handler=unknown)
