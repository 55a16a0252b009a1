"""The pages' pure modules, run where they are used: numbers and spans, the graph and its places."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest

from penstock.panel.site.assets import ASSETS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.panel.site.stage import Stage
    from tests.servers.chromium import Browser, Tab

EDITING, HISTORY, PAST = "core/editing.js", "core/history.js", "core/past.js"
FORMAT, MODEL, LAYOUT, ROLES = "core/format.js", "wiring/model.js", "wiring/layout.js", "pages/roles.js"
FLOWS = "wiring/flows.js"
#: Stands where there is no value.
NONE = "\N{EN DASH}"
#: Numbers as they were written, and names in the order in which they came.
READ = '{\n  "a": [\n    1.0,\n    9007199254740993\n  ],\n  "10": {},\n  "2": []\n}'


@pytest.fixture(scope="module")
def page(stage: Stage, browser: Browser) -> Iterator[Tab]:
    """A page that loads nothing by itself."""
    with browser.tab() as opened:
        opened.go(f"{stage.url}/login")
        yield opened


def call(page: Tab, module: str, verb: str, *values: Any) -> Any:
    written = ", ".join(json.dumps(value) for value in values)
    return page.run(f"{imported(module)}.then((module) => module.{verb}({written}))")


def imported(module: str) -> str:
    return f"import({json.dumps(ASSETS.address(module))})"


@pytest.mark.parametrize(
    ("verb", "value", "text"),
    [
        ("count", 1234567, "1,234,567"),
        ("count", None, NONE),
        ("short", 0, "0"),
        ("short", 999, "999"),
        ("short", 1000, "1 k"),
        ("short", 1234567, "1.23 M"),
        ("short", 0.256, "0.26"),
        ("rate", 12.34, "12.3/s"),
        ("bytes", 0, "0 B"),
        ("bytes", 1536, "1.50 KiB"),
        ("bytes", 5 * 2**40, "5 TiB"),
        ("span", 0, "0 s"),
        ("span", 0.0204, "20 ms"),
        ("span", 2.5, "2.5 s"),
        ("span", 59.9, "59 s"),
        ("span", 3723, "1 h 2 min"),
        ("span", 86400, "1 d"),
        ("ageKind", 59, "calm"),
        ("ageKind", 60, "slow"),
        ("ageKind", 600, "late"),
        ("ageKind", None, "calm"),
        ("percent", 0.404, "40 %"),
        ("moment", None, NONE),
        ("moment", 1e300, "1e+300"),
        ("readable", '{"a":1}', '{\n  "a": 1\n}'),
        ("readable", "<b>", "<b>"),
        ("readable", '{"a":[1.0,9007199254740993],"10":{},"2":[ ]}', READ),
        ("readable", '"\\u0041: [1,2] \\" {"', '"\\u0041: [1,2] \\" {"'),
    ],
)
def test_values_are_written_as_people_read_them(page: Tab, verb: str, value: Any, text: str) -> None:
    assert call(page, FORMAT, verb, value) == text


def test_what_is_nested_without_end_does_not_fill_the_page(page: Tab) -> None:
    assert len(call(page, FORMAT, "readable", "[" * 5000 + "]" * 5000)) < 1_000_000


BEFORE = '{"at": {"$time": "2026-01-31"}, "large": 9007199254740993, "one": 1.0, "old": "x"}'


@pytest.mark.parametrize(
    ("after", "changed"),
    [
        (BEFORE, "{}"),
        (" " + BEFORE.replace(", ", ",\n"), "{}"),
        ("", '{"at":null,"large":null,"one":null,"old":null}'),
        (BEFORE.replace(', "old": "x"', ""), '{"old":null}'),
        (BEFORE.replace("993", "995"), '{"large":9007199254740995}'),
        (BEFORE.replace("1.0", "2.0"), '{"one":2.0}'),
        (BEFORE.replace("31", "30"), '{"at":{"$time":"2026-01-30"}}'),
        (BEFORE.replace("}}", "}").replace("{", '{"new": true, ', 1), '{"new":true}'),
    ],
)
def test_headers_that_nobody_changed_are_not_told(page: Tab, after: str, changed: str) -> None:
    given = ", ".join(map(json.dumps, (BEFORE, after)))
    told = page.run(f"{imported(EDITING)}.then((module) => JSON.stringify(module.changedHeaders({given})))")
    assert told == changed


@pytest.mark.parametrize("text", ["[]", "null", "7", "{"])
def test_headers_are_an_object(page: Tab, text: str) -> None:
    given = ", ".join(map(json.dumps, ("{}", text)))
    refused = f"{imported(EDITING)}.then((module) => module.changedHeaders({given})).then(() => '', String)"
    assert "Error" in page.run(refused)


@pytest.mark.parametrize(
    ("whole", "edited", "mended"),
    [
        ("a\r\nb\nc\rd", "a\nb\nc\nd", "a\r\nb\nc\rd"),
        ("a\r\nb\nc\rd", "a\nB\nc\nd", "a\r\nB\nc\rd"),
        ("a\r\nb", "a\nx\nb", "a\r\nx\r\nb"),
        ("a\nb", "a\nx\nb", "a\nx\nb"),
        ("a\r\n\r\nb", "a\nb", "a\r\nb"),
        ("aa", "a", "a"),
        ("a", "aa", "aa"),
        ("", "a", "a"),
        ("a\r\n", "", ""),
    ],
)
def test_line_ends_that_nobody_touched_stay(page: Tab, whole: str, edited: str, mended: str) -> None:
    assert call(page, EDITING, "mended", whole, edited) == mended


def test_one_is_not_many(page: Tab) -> None:
    assert call(page, FORMAT, "plural", 1, "queue") == "1 queue"
    assert call(page, FORMAT, "plural", 2, "proxy", "proxies") == "2 proxies"


def samples(*values: int) -> dict[str, Any]:
    """As RabbitMQ tells them, the newest first, five seconds apart."""
    told = [{"sample": value, "timestamp": 1000 * 5 * at} for at, value in enumerate(values, start=1)]
    return {"samples": told[::-1]}


def test_the_past_is_read_as_levels_and_as_what_was_added_a_second(page: Tab) -> None:
    told = {"publish_details": samples(0, 50, 45), "ack_details": samples(1, 6)}
    assert call(page, PAST, "levels", told, ["publish", "ack", "die"]) == [
        [5, 0, 1, None],
        [10, 50, 6, None],
        [15, 45, None, None],
    ]
    # A count that is less than before was counted anew.
    assert call(page, PAST, "growth", told, ["publish", "ack"]) == [[10, 10, 1], [15, 0, None]]
    for nothing in (None, {}, {"publish_details": {"rate": 1.0}}):
        assert call(page, PAST, "growth", nothing, ["publish"]) == []


def test_a_chart_has_the_brokers_past_where_it_has_none_of_its_own(page: Tab) -> None:
    own, told = [[100, 1], [101, 2], [140, 3]], [[95, 9], [104, 9], [110, 9], [140, 9]]
    joined = [[95, 9], [100, 1], [101, 2], [110, 9], [140, 3]]
    assert call(page, HISTORY, "joined", own, told) == joined


def graph(page: Tab, found: dict[str, Any], filter_: str = "") -> dict[str, Any]:
    """The graph's nodes by id, its edges, and its places."""
    given = json.dumps({"exchanges": [], "bindings": [], "queues": [], **found})
    seen = f"{{ filter: {json.dumps(filter_)}, opened: new Set() }}"
    modules = ", ".join(f"import({json.dumps(ASSETS.address(each))})" for each in (MODEL, LAYOUT))
    told: dict[str, Any] = page.run(
        f"Promise.all([{modules}]).then(([model, layout]) => {{"
        f" const graph = model.graphOf({given}, {seen});"
        " const edges = graph.edges.map(({ from, to }) => [from, to]);"
        " const places = Object.fromEntries(layout.placesOf(graph).places);"
        " return { nodes: Object.fromEntries(graph.nodes), edges, places }; })"
    )
    return told


def proxy(name: str) -> dict[str, Any]:
    return {"name": name, "type": "topic"}


def queue(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "messages": 0, "consumers": 0, **more}


def binding(source: str, destination: str, key: str = "", kind: str = "queue") -> dict[str, Any]:
    return {"source": source, "destination": destination, "destination_type": kind, "routing_key": key}


def test_a_queue_is_led_to_by_its_pattern_and_leads_to_its_consumers(page: Tab) -> None:
    told = graph(
        page,
        {
            "exchanges": [proxy("events"), proxy("unused")],
            "queues": [queue("orders", consumers=2, messages=5)],
            "bindings": [binding("events", "orders", "order.#"), binding("", "orders", "orders")],
        },
    )
    assert told["edges"] == [
        ["q orders", "c q orders"],
        ["p events", "r events order.#"],
        ["r events order.#", "q orders"],
    ]
    assert "p unused" not in told["nodes"]
    assert "p " not in told["nodes"], "the default proxy is told of what nothing else feeds"
    ways = ["p events", "r events order.#", "q orders", "c q orders"]
    across = [told["places"][name]["x"] for name in ways]
    assert across == sorted(across)
    assert len(set(across)) == 4


def test_what_nothing_else_feeds_is_fed_by_the_default_proxy(page: Tab) -> None:
    told = graph(
        page, {"exchanges": [proxy("")], "queues": [queue("jobs")], "bindings": [binding("", "jobs", "jobs")]}
    )
    assert ["p ", "r  q jobs"] in told["edges"]


def test_proxies_in_a_row_and_in_a_ring_are_drawn_from_left_to_right(page: Tab) -> None:
    told = graph(
        page,
        {
            "exchanges": [proxy("a"), proxy("b"), proxy("c")],
            "queues": [queue("end")],
            "bindings": [
                binding("a", "b", "1", "exchange"),
                binding("b", "c", "2", "exchange"),
                binding("c", "a", "3", "exchange"),
                binding("c", "end", "4"),
            ],
        },
    )
    across = [told["places"][name]["x"] for name in ("p a", "p b", "p c", "q end")]
    assert across == sorted(set(across))


def test_nothing_in_a_column_touches_its_neighbour(page: Tab) -> None:
    names = [f"q{number}" for number in range(20)]
    told = graph(
        page,
        {
            "exchanges": [proxy("a"), proxy("b")],
            "queues": [queue(name, consumers=1) for name in names],
            "bindings": [binding("ab"[place % 2], name, name) for place, name in enumerate(names)],
        },
    )
    columns: dict[float, list[float]] = {}
    for place in told["places"].values():
        columns.setdefault(place["x"], []).append(place["y"])
    assert len(columns) == 4
    for column in columns.values():
        ordered = sorted(column)
        assert all(lower - upper > 26 for upper, lower in pairwise(ordered))
    assert min(min(column) for column in columns.values()) == 0


def test_many_that_begin_alike_and_are_fed_alike_are_folded(page: Tab) -> None:
    names = [f"tenant.{number}" for number in range(40)]
    told = graph(
        page,
        {
            "exchanges": [proxy("events")],
            "queues": [queue(name, messages=2, consumers=1) for name in [*names, "audit"]],
            "bindings": [binding("events", name, name) for name in [*names, "audit"]],
        },
    )
    group = next(node for node in told["nodes"].values() if node["kind"] == "group")
    assert (group["label"], group["size"], group["depth"], group["consumers"]) == (
        "tenant.… (40)",
        40,
        80,
        40,
    )
    assert "q audit" in told["nodes"]
    assert len([node for node in told["nodes"].values() if node["kind"] == "registration"]) == 2


@pytest.mark.parametrize(
    ("filter_", "queues"),
    [("ORD", ["orders"]), ("weather.*", ["forecast"]), ("news", ["forecast"]), ("nothing", [])],
)
def test_a_filter_finds_queues_by_name_pattern_or_proxy(page: Tab, filter_: str, queues: list[str]) -> None:
    found = {
        "exchanges": [proxy("news"), proxy("shop")],
        "queues": [queue("orders"), queue("forecast")],
        "bindings": [binding("shop", "orders", "#"), binding("news", "forecast", "weather.*")],
    }
    told = graph(page, found, filter_)
    assert [node["label"] for node in told["nodes"].values() if node["kind"] == "queue"] == queues


@pytest.mark.parametrize(
    ("tags", "role", "after"),
    [
        ([], "monitoring", ["monitoring"]),
        (["impersonator", "monitoring"], "management", ["impersonator", "management"]),
        (["policymaker", "monitoring"], "policymaker", ["policymaker", "monitoring"]),
        (["impersonator", "administrator"], "", ["impersonator"]),
    ],
)
def test_another_role_leaves_a_users_other_tags_alone(
    page: Tab, tags: list[str], role: str, after: list[str]
) -> None:
    assert call(page, ROLES, "withRole", tags, role) == after


def flows(page: Tab, found: dict[str, Any]) -> list[float]:
    """What passes each binding a second, in their order."""
    given = json.dumps({"exchanges": [], "bindings": [], "queues": [], **found})
    told: list[float] = page.run(
        f"import({json.dumps(ASSETS.address(FLOWS))}).then((module) =>"
        f" [...module.flowsOf({given}).values()].map((flow) => Math.round(flow * 10) / 10))"
    )
    return told


def busy(name: str, came: float = 0, sent: float = 0) -> dict[str, Any]:
    """A proxy, and how much a second was published to it and went on to queues."""
    stats = {"publish_in_details": {"rate": came}, "publish_out_details": {"rate": sent}}
    return proxy(name) | {"message_stats": stats}


def fed(name: str, rate: float) -> dict[str, Any]:
    return queue(name, message_stats={"publish_details": {"rate": rate}})


def test_an_idle_proxy_at_a_busy_queue_passes_nothing(page: Tab) -> None:
    found = {
        "exchanges": [busy("idle"), busy("busy", 100, 100)],
        "queues": [fed("orders", 100)],
        "bindings": [binding("idle", "orders", "#"), binding("busy", "orders", "#")],
    }
    assert flows(page, found) == [0, 100]


def test_what_comes_by_name_is_not_laid_on_a_pattern(page: Tab) -> None:
    found = {
        "exchanges": [busy("", 70, 70), busy("events", 30, 30)],
        "queues": [fed("orders", 100)],
        "bindings": [binding("", "orders", "orders"), binding("events", "orders", "#")],
    }
    assert flows(page, found) == [70, 30]


def test_a_fan_out_passes_all_to_each_and_a_router_each_its_own(page: Tab) -> None:
    found = {
        "exchanges": [busy("fan", 10, 30), busy("route", 50, 50)],
        "queues": [fed("a", 10), fed("b", 30), fed("c", 40)],
        "bindings": [
            *(binding("fan", name) for name in "abc"),
            *(binding("route", name, name) for name in "bc"),
        ],
    }
    assert flows(page, found) == [10, 10, 10, 20, 30]


def test_what_goes_by_way_of_another_proxy_is_seen_on_the_way_and_a_ring_ends(page: Tab) -> None:
    found = {
        "exchanges": [busy("front", 20, 20), busy("back")],
        "queues": [fed("end", 20)],
        "bindings": [
            binding("front", "back", "#", "exchange"),
            binding("back", "front", "#", "exchange"),
            binding("back", "end", "#"),
        ],
    }
    assert flows(page, found) == [20, 0, 20]


def test_two_patterns_of_one_proxy_share_what_cannot_be_told_apart(page: Tab) -> None:
    found = {
        "exchanges": [busy("events", 80, 40)],
        "queues": [fed("orders", 40)],
        "bindings": [binding("events", "orders", "a"), binding("events", "orders", "b")],
    }
    assert flows(page, found) == [20, 20]


def test_an_edge_of_the_graph_has_what_its_registrations_pass(page: Tab) -> None:
    found = {
        "exchanges": [busy("fan", 10, 20), busy("idle")],
        "queues": [fed("a", 10), fed("b", 10)],
        "bindings": [binding("fan", "a"), binding("fan", "b"), binding("idle", "a", "x")],
    }
    given = json.dumps(found)
    edges = page.run(
        f"import({json.dumps(ASSETS.address(MODEL))}).then((module) =>"
        f" module.graphOf({given}, {{ filter: '', opened: new Set() }})"
        ".edges.map(({ from, to, flow }) => [from, to, Math.round(flow)]))"
    )
    assert sorted(edges) == [
        # A message that goes to both is matched once.
        ["p fan", "r fan everything", 10],
        ["p idle", "r idle x", 0],
        ["r fan everything", "q a", 10],
        ["r fan everything", "q b", 10],
        ["r idle x", "q a", 0],
    ]
