"""What tools ask of a management API beyond rabbitmqadmin: the same answers from both brokers, or a clear no.

KEDA's scaler asks for queues by pattern and page, HAProxy and Kubernetes for health checks, exporters for the
overview, nodes and queues, Terraform's provider for users, permissions, virtual hosts and limits.
"""

from __future__ import annotations

import http.client
import json
import time
from base64 import b64encode
from itertools import pairwise
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.servers.managed import Managed

#: Seconds in which a broker's statistics tell of what has happened.
PATIENCE_S = 60.0
NOTHING = "nothing-of-that-name"
HASH = "kI3GCqW5JLMJa4iX1lo7X4D6XbYqlLgxIs30+P6tENUV2POR"


class Tool:
    """Asks a broker."""

    def __init__(self, managed: Managed) -> None:
        url = urlsplit(managed.management)
        self.broker = managed.name
        self._line = http.client.HTTPConnection(url.hostname or "", url.port, timeout=60)

    def close(self) -> None:
        self._line.close()

    def ask(self, verb: str, path: str, body: Any = None) -> tuple[int, Any]:
        headers = {"Authorization": "Basic " + b64encode(b"guest:guest").decode()}
        sent = None if body is None else json.dumps(body).encode()
        headers |= {"Content-Type": "application/json"}
        try:
            answer = self._send(verb, path, sent, headers)
        except http.client.RemoteDisconnected:
            # RabbitMQ ends a line that was quiet for a while, or that has carried a hundred requests.
            self._line.close()
            answer = self._send(verb, path, sent, headers)
        said = answer.read()
        return answer.status, json.loads(said) if said.startswith((b"{", b"[")) else None

    def _send(
        self, verb: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> http.client.HTTPResponse:
        self._line.request(verb, f"/api{path}", body, headers)
        return self._line.getresponse()

    def get(self, path: str) -> Any:
        status, found = self.ask("GET", path)
        assert status == 200, (path, found)
        return found

    def wait(self, path: str, *keys: str, until: Any) -> Any:
        """The first answer that tells what happened: RabbitMQ gathers its figures every five seconds."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            found = self.get(path)
            value = found
            for key in keys:
                value = value.get(key) if isinstance(value, dict) else None
            if until(value):
                return found
            assert time.monotonic() < deadline, found
            time.sleep(0.2)


@pytest.fixture
def tool(managed: Managed) -> Iterator[Tool]:
    tool = Tool(managed)
    yield tool
    tool.close()


@pytest.fixture
def vhost(tool: Tool, name: str) -> Iterator[str]:
    """A virtual host of the test's own."""
    host = quote(name, safe="")
    assert tool.ask("PUT", f"/vhosts/{host}", {"description": "for tools", "tags": "a,b"})[0] == 201
    yield host
    assert tool.ask("DELETE", f"/vhosts/{host}")[0] == 204


#: Asked in order; {v} is a virtual host. Where Penstock says no, its status stands behind RabbitMQ's.
ASKED: list[tuple[str, str, Any, tuple[int, ...]]] = [
    ("PUT", "/queues/{v}/one", {"durable": True}, (201,)),
    ("PUT", "/queues/{v}/two", {"durable": True, "arguments": {"x-max-length": 9}}, (201,)),
    ("POST", "/queues/{v}/one/actions", {"action": "sync"}, (204,)),
    ("GET", "/queues/{v}?page=0", None, (400,)),
    ("GET", "/queues/{v}?page=2", None, (400,)),
    ("GET", "/queues/{v}?page=1&page_size=501", None, (400,)),
    ("GET", "/queues/{v}?page=1&use_regex=true&name=%28", None, (400,)),
    ("GET", "/queues/{v}/" + NOTHING, None, (404,)),
    ("GET", "/queues/" + NOTHING, None, (404,)),
    ("GET", "/exchanges/{v}/" + NOTHING, None, (404,)),
    ("GET", "/channels/" + NOTHING, None, (404,)),
    ("GET", "/connections/" + NOTHING, None, (404,)),
    # Terraform: what is not there is 404, whatever it is.
    ("GET", "/policies/{v}/" + NOTHING, None, (404,)),
    ("GET", "/operator-policies/{v}/" + NOTHING, None, (404,)),
    ("GET", "/parameters/federation-upstream/{v}/" + NOTHING, None, (404,)),
    ("GET", "/parameters/shovel/{v}/" + NOTHING, None, (404,)),
    ("PUT", "/parameters/shovel/{v}/s", {"value": {"src-uri": "amqp://"}}, (400,)),
    ("GET", "/federation-links", None, (404,)),
    ("GET", "/shovels", None, (404,)),
    ("GET", "/global-parameters/" + NOTHING, None, (404,)),
    ("PUT", "/policies/{v}/p", {"pattern": "x", "definition": {"max-length": 9}}, (201, 400)),
    ("PUT", "/operator-policies/{v}/p", {"pattern": "x", "definition": {"max-length": 9}}, (201, 400)),
    ("PUT", "/vhost-limits/{v}/max-queues", {"value": 10}, (204,)),
    ("DELETE", "/vhost-limits/{v}/max-queues", None, (204,)),
    ("PUT", "/vhost-limits/{v}/" + NOTHING, {"value": 10}, (400,)),
    ("PUT", "/user-limits/guest/max-channels", {"value": 1000}, (204, 400)),
    ("DELETE", "/user-limits/guest/max-channels", None, (204,)),
    ("GET", "/user-limits/guest", None, (200,)),
    # Load balancers.
    ("GET", "/health/checks/alarms", None, (200,)),
    ("GET", "/health/checks/local-alarms", None, (200,)),
    ("GET", "/health/checks/virtual-hosts", None, (200,)),
    ("GET", "/health/checks/node-is-quorum-critical", None, (200,)),
    ("GET", "/health/checks/protocol-listener/amqp", None, (200,)),
    ("GET", "/health/checks/protocol-listener/amqp091", None, (200,)),
    ("GET", "/health/checks/protocol-listener/mqtt", None, (503,)),
    ("GET", "/health/checks/port-listener/1", None, (503,)),
    ("GET", "/health/checks/certificate-expiration/1/months", None, (200,)),
    ("GET", "/health/checks/certificate-expiration/1/fortnights", None, (400,)),
    ("GET", "/health/checks/certificate-expiration/x/days", None, (400,)),
    ("OPTIONS", "/overview", None, (200,)),
    ("POST", "/overview", {}, (405,)),
    ("GET", "/" + NOTHING, None, (404,)),
    ("POST", "/rebalance/queues", None, (204,)),
    ("POST", "/vhosts/{v}/start/nowhere", None, (400,)),
    ("GET", "/all-configuration", None, (200,)),
    ("GET", "/auth", None, (200,)),
]


def test_tools_are_answered_with_the_same_status(tool: Tool, vhost: str) -> None:
    for verb, path, body, (first, *ours) in ASKED:
        expected = ours[0] if ours and tool.broker == "penstock" else first
        for _ in range(100):
            status, found = tool.ask(verb, path.format(v=vhost), body)
            if status == expected or status != 503:
                break
            # RabbitMQ is everybody's: another test's virtual host may be on its way in, or out.
            time.sleep(0.1)
        assert status == expected, (verb, path, found)
        if status == 400:
            assert found["reason"], path


def test_an_autoscaler_finds_queues_by_pattern_and_page(tool: Tool, vhost: str) -> None:
    for name in ("jobs.a", "jobs.b", "other"):
        tool.ask("PUT", f"/queues/{vhost}/{name}", {})
    found = tool.get(
        f"/queues/{vhost}?page=1&use_regex=true&pagination=false&name=%5Ejobs%5C..%2A%24&page_size=100"
    )
    assert sorted(each["name"] for each in found["items"]) == ["jobs.a", "jobs.b"]
    about = {
        "total_count": 3,
        "filtered_count": 2,
        "item_count": 2,
        "page": 1,
        "page_size": 100,
        "page_count": 1,
    }
    assert {key: found[key] for key in about} == about
    query = "page=1&page_size=2&pagination=true&name=j&sort=name&sort_reverse=true&columns=name,vhost"
    assert tool.get(f"/queues/{vhost}?{query}")["items"] == [
        {"name": "jobs.b", "vhost": tool.get(f"/vhosts/{vhost}")["name"]},
        {"name": "jobs.a", "vhost": tool.get(f"/vhosts/{vhost}")["name"]},
    ]


def test_dashboards_are_told_the_past_of_queues_and_exchanges(tool: Tool, vhost: str) -> None:
    tool.ask("PUT", f"/queues/{vhost}/q", {})
    for _ in range(3):
        body = {"routing_key": "q", "payload": "x", "payload_encoding": "string", "properties": {}}
        assert tool.ask("POST", f"/exchanges/{vhost}/amq.default/publish", body) == (200, {"routed": True})
    tool.wait(f"/queues/{vhost}/q", "messages", until=lambda count: count == 3)
    past = "lengths_age=30&lengths_incr=1&msg_rates_age=30&msg_rates_incr=1"
    is_there = lambda samples: samples and samples[0]["sample"] == 3
    shown = tool.wait(
        f"/queues/{vhost}/q?{past}", "message_stats", "publish_details", "samples", until=is_there
    )
    shown = tool.wait(f"/queues/{vhost}/q?{past}", "messages_details", "samples", until=is_there)
    passed = tool.wait(
        f"/exchanges/{vhost}/amq.default?{past}",
        "message_stats",
        "publish_out_details",
        "samples",
        until=is_there,
    )
    assert (passed["message_stats"]["publish_in"], passed["message_stats"]["publish_out"]) == (3, 3)
    for told in (shown["messages_details"], passed["message_stats"]["publish_in_details"]):
        assert isinstance(told["rate"], float)
        times = [each["timestamp"] for each in told["samples"]]
        assert all(newer - older == 1000 for newer, older in pairwise(times))
        assert all(at % 1000 == 0 for at in times)
    totals = tool.get(f"/overview?{past}&columns=queue_totals")
    assert {"rate", "samples"} <= totals["queue_totals"]["messages_details"].keys()
    assert tool.ask("GET", "/overview?lengths_age=60&lengths_incr=0")[0] == 400


def test_what_people_are_is_kept_as_it_was_told(tool: Tool, vhost: str, name: str) -> None:
    assert tool.get(f"/vhosts/{vhost}")["metadata"] == {"description": "for tools", "tags": ["a", "b"]}
    user = quote(name, safe="")
    entry = {"name": name, "password_hash": HASH, "tags": ["odd", "monitoring"]}
    assert tool.ask("POST", "/definitions", {"users": [entry]})[0] == 204
    assert sorted(tool.get(f"/users/{user}")["tags"]) == ["monitoring", "odd"]
    assert tool.ask("PUT", f"/users/{user}", {"password_hash": HASH, "tags": "odder"})[0] == 204
    assert tool.get(f"/users/{user}")["tags"] == ["odder"]
    for exchange in ("amq.topic", "amq.direct"):
        body = {"exchange": exchange, "write": "^a", "read": ".*"}
        assert tool.ask("PUT", f"/topic-permissions/{vhost}/{user}", body)[0] in {201, 204}
    assert tool.ask("DELETE", f"/topic-permissions/{vhost}/{user}/amq.topic")[0] == 204
    [left] = tool.get(f"/topic-permissions/{vhost}/{user}")
    assert left["exchange"] == "amq.direct"
    assert tool.ask("DELETE", f"/users/{user}")[0] == 204
