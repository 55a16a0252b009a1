"""RabbitMQ's own command line and a Python client of its management API: the same on both brokers."""

from __future__ import annotations

import json
import runpy
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

import pytest
from amqpstorm.management.api import ManagementApi
from amqpstorm.management.exception import ApiError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.servers.managed import Managed

#: Where Debian's package keeps it, inside the plugin.
INSIDE = "lib/rabbitmq/lib/rabbitmq_server-*/plugins/rabbitmq_management-*/priv/www/cli/rabbitmqadmin"


@dataclass(frozen=True)
class Admin:
    """`rabbitmqadmin`, run in this process: a new one for each command would cost more than the command."""

    program: Path
    management: str
    capsys: pytest.CaptureFixture[str]
    monkeypatch: pytest.MonkeyPatch

    def __call__(self, *arguments: str) -> str:
        """What it prints."""
        output, code = self.run(*arguments)
        assert code in (None, 0), output
        return output

    def run(self, *arguments: str) -> tuple[str, object]:
        url = urlsplit(self.management)
        where = ["--host", url.hostname or "", "--port", str(url.port), "-u", "guest", "-p", "guest"]
        code: object = 0
        with self.monkeypatch.context() as patched:
            patched.setattr(sys, "argv", ["rabbitmqadmin", *where, *arguments])
            # It wants to be ended when nobody reads what it prints; this process does not.
            patched.setattr(signal, "signal", lambda *_: None)
            try:
                runpy.run_path(str(self.program), run_name="__main__")
            except SystemExit as end:
                code = end.code
        out, err = self.capsys.readouterr()
        return out + err, code

    def rows(self, what: str, *columns: str, vhost: str = "/") -> list[Any]:
        found: list[Any] = json.loads(self("-f", "raw_json", "-V", vhost, "list", what, *columns))
        return found


@pytest.fixture
def admin(
    managed: Managed,
    real_program: Callable[[str], Path],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Admin:
    found = shutil.which("rabbitmqadmin")
    if found is None:
        real_program("rabbitmq")
        found = str(next(Path("/usr").glob(INSIDE)))
    return Admin(Path(found), managed.management, capsys, monkeypatch)


def named(rows: list[Any], name: str) -> list[Any]:
    return [row for row in rows if name in row.values()]


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # it leaves its sockets to the end of the program
def test_rabbitmqadmin_does_the_same_on_both(admin: Admin, name: str, tmp_path: Path) -> None:
    assert admin("declare", "queue", f"name={name}", "durable=true", 'arguments={"x-max-length": 9}') == (
        "queue declared\n"
    )
    assert admin("declare", "exchange", f"name={name}", "type=topic") == "exchange declared\n"
    bind = ("declare", "binding", f"source={name}", f"destination={name}", "routing_key=a.#")
    assert admin(*bind) == "binding declared\n"
    for body in ("one", "two", "three"):
        published = admin("publish", f"exchange={name}", "routing_key=a.b", f"payload={body}")
        assert published == "Message published\n"
    assert admin("publish", f"exchange={name}", "routing_key=z", "payload=lost") == (
        "Message published but NOT routed\n"
    )

    [queue] = named(admin.rows("queues", "name", "durable", "arguments"), name)
    assert queue == {"name": name, "durable": True, "arguments": {"x-max-length": 9}}
    [exchange] = named(admin.rows("exchanges", "name", "type"), name)
    assert exchange == {"name": name, "type": "topic"}
    own, bound = named(admin.rows("bindings", "source", "destination", "routing_key", "properties_key"), name)
    assert own == {"source": "", "destination": name, "routing_key": name, "properties_key": name}
    assert bound == {"source": name, "destination": name, "routing_key": "a.#", "properties_key": "a.%23"}

    got = json.loads(admin("-f", "raw_json", "get", f"queue={name}", "count=2", "ackmode=ack_requeue_false"))
    shown = [(each["payload"], each["redelivered"], each["exchange"], each["routing_key"]) for each in got]
    assert shown == [("one", False, name, "a.b"), ("two", False, name, "a.b")]
    assert admin("purge", "queue", f"name={name}") == "queue purged\n"
    assert json.loads(admin("-f", "raw_json", "get", f"queue={name}")) == []

    exported = tmp_path / "exported.json"
    assert admin("export", str(exported)).startswith("Exported definitions for ")
    told = json.loads(exported.read_text())
    [kept] = named(told["queues"], name)
    expected = {"name": name, "vhost": "/", "durable": True, "auto_delete": False}
    assert kept == expected | {"arguments": {"x-max-length": 9}}

    assert (
        admin(
            "delete",
            "binding",
            f"source={name}",
            f"destination={name}",
            "destination_type=queue",
            "properties_key=a.%23",
        )
        == "binding deleted\n"
    )
    assert admin("delete", "queue", f"name={name}") == "queue deleted\n"
    assert admin("delete", "exchange", f"name={name}") == "exchange deleted\n"
    again = tmp_path / "again.json"
    chapters = {chapter: named(told[chapter], name) for chapter in ("queues", "exchanges", "bindings")}
    again.write_text(json.dumps(chapters))
    assert admin("import", str(again)).startswith("Uploaded definitions from ")
    assert len(named(admin.rows("bindings", "source", "routing_key"), name)) == 2
    admin("delete", "queue", f"name={name}")
    admin("delete", "exchange", f"name={name}")


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_rabbitmqadmin_manages_who_may_come_on_both(admin: Admin, name: str) -> None:
    assert admin("declare", "vhost", f"name={name}") == "vhost declared\n"
    assert admin("declare", "user", f"name={name}", "password=secret", "tags=monitoring") == "user declared\n"
    given = ("configure=", "write=^a", "read=.*")
    assert admin("declare", "permission", f"vhost={name}", f"user={name}", *given) == "permission declared\n"
    limit = ("declare", "vhost_limit", f"vhost={name}", "name=max-queues", "value=7")
    assert admin(*limit) == "vhost_limit declared\n"
    [user] = named(admin.rows("users", "name", "tags"), name)
    assert user == {"name": name, "tags": ["monitoring"]}
    permissions = admin.rows("permissions", "user", "vhost", "write")
    assert {"user": name, "vhost": name, "write": "^a"} in permissions
    assert named(admin.rows("vhost_limits", "vhost", "value"), name) == [
        {"vhost": name, "value": {"max-queues": 7}}
    ]
    assert admin("delete", "permission", f"vhost={name}", f"user={name}") == "permission deleted\n"
    assert admin("delete", "user", f"name={name}") == "user deleted\n"
    assert admin("delete", "vhost", f"name={name}") == "vhost deleted\n"


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_rabbitmqadmin_is_told_what_is_wrong_on_both(admin: Admin, name: str) -> None:
    output, code = admin.run("delete", "queue", f"name={name}")
    assert (code, output) == (1, f"*** Not found: /api/queues/%2F/{name}\n\n")
    admin("declare", "queue", f"name={name}", "durable=false")
    output, code = admin.run("declare", "queue", f"name={name}", "durable=true")
    assert code == 1
    assert output.startswith(f"*** inequivalent arg 'durable' for queue '{name}' in vhost '/'")
    admin("delete", "queue", f"name={name}")
    for what in ("connections", "channels", "consumers", "nodes", "parameters", "policies"):
        assert isinstance(admin.rows(what), list)
    assert json.loads(admin("-f", "raw_json", "show", "overview", "object_totals.queues"))


@pytest.fixture
def api(managed: Managed) -> ManagementApi:
    url = urlsplit(managed.management)
    return ManagementApi(f"http://{url.hostname}:{url.port}", "guest", "guest")


def test_amqpstorms_client_finds_its_way_on_both(api: ManagementApi, name: str) -> None:
    assert api.aliveness_test("/") == {"status": "ok"}
    assert api.whoami()["name"] == "guest"
    assert api.overview()["object_totals"]["exchanges"] >= 6
    api.queue.declare(name, durable=True)
    api.exchange.declare(name, "direct", durable=True)
    api.queue.bind(name, name, "key")
    assert api.basic.publish("hello", "key", exchange=name, properties={"headers": {"n": 1}}) == {
        "routed": True
    }
    [got] = cast("list[dict[str, Any]]", api.basic.get(name, requeue=False, to_dict=True))
    assert (got["payload"], got["properties"]) == ("hello", {"headers": {"n": 1}})
    keys = [each["routing_key"] for each in api.queue.bindings(name)]
    assert sorted(keys) == sorted([name, "key"])
    assert name in [each["name"] for each in api.queue.list(name=name, page_size=5)]
    api.queue.unbind(name, name, "key")
    api.queue.purge(name)
    api.queue.delete(name)
    api.exchange.delete(name)
    with pytest.raises(ApiError) as caught:
        api.queue.get(name)
    assert caught.value.error_code == 404


def test_amqpstorms_client_manages_users_on_both(api: ManagementApi, name: str) -> None:
    api.user.create(name, "secret", tags="monitoring")
    api.virtual_host.create(name)
    api.user.set_permission(name, name)
    assert api.user.get_permission(name, name)["configure"] == ".*"
    api.user.delete_permission(name, name)
    api.virtual_host.delete(name)
    api.user.delete(name)
