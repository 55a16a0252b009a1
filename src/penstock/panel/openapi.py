"""The OpenAPI document: what the HTTP API takes and answers, made of the one table of routes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from penstock import __version__
from penstock.panel.replies import JSON, json_reply
from penstock.panel.routes import MANAGEMENT, PUBLIC, Route

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from penstock.panel.replies import Reply
    from penstock.panel.routes import Table
    from penstock.panel.visit import Visit

__all__ = ["ROUTES", "document"]

#: Schemas stand there, and are meant by these.
_REF: Final = "#/components/schemas/{name}"
#: What programs ask for; pages and their parts are for browsers.
API: Final = ("/api/", "/metrics", "/logout")
LOGIN: Final = ("POST", "/login")
#: Verbs whose answer has nothing in it, as RabbitMQ has them: 201 if something was made, else 204.
QUIET: Final = ("PUT", "DELETE")
#: Checks answer 503 if what is checked is not so, with what they found.
CHECKS: Final = "/api/health/"
#: What any request may be answered with.
REFUSALS: Final = {
    "400": "What was sent cannot be",
    "401": "Nobody that the broker knows",
    "403": "Not permitted to this user",
    "404": "There is no such thing",
    "default": "Refused, or broken",
}


class Refusal(msgspec.Struct, kw_only=True):
    """Why a request was refused: a word for programs, a sentence for people."""

    error: str
    reason: str


def document(table: Table) -> dict[str, Any]:
    """The document for a table of routes."""
    told = {key: route for key, route in table.items() if key[1].startswith(API) or key == LOGIN}
    types = {id(each): each for route in told.values() for each in _types(route)}
    types[id(Refusal)] = Refusal
    schemas, components = msgspec.json.schema_components(types.values(), ref_template=_REF)
    schema_of = dict(zip(types, schemas, strict=True))
    paths: dict[str, dict[str, Any]] = {}
    for (verb, path), route in told.items():
        paths.setdefault(path, {})[verb.lower()] = _operation(verb, path, route, schema_of)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Penstock",
            "version": __version__,
            "description": "The management API in RabbitMQ's forms, and Penstock's own under /api/penstock.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {
                "basic": {"type": "http", "scheme": "basic"},
                "session": {"type": "apiKey", "in": "cookie", "name": "penstock_session"},
            },
        },
        "security": [{"basic": []}, {"session": []}],
    }


def _types(route: Route) -> Iterable[Any]:
    """The types whose schemas a route needs."""
    yield from _forms(route).values()
    if route.reply is not None:
        yield route.reply
    yield from route.query.values()


def _forms(route: Route) -> Mapping[str, Any]:
    """What a body may be: kind of content → type."""
    return route.forms or ({JSON: route.body} if route.body not in (None, bytes) else {})


def _operation(verb: str, path: str, route: Route, schema_of: Mapping[int, Any]) -> dict[str, Any]:
    names = re.findall(r"{(\w+)}", path)
    told: dict[str, Any] = {
        "operationId": _identifier(verb, path),
        "summary": route.summary,
        "tags": [
            path.split("/")[3 if path.startswith("/api/penstock/") else 2] if path[:5] == "/api/" else "panel"
        ],
        "parameters": [
            {"name": name, "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}}
            for name in names
        ]
        + [
            {"name": name, "in": "query", "required": False, "schema": schema_of[id(kind)]}
            for name, kind in route.query.items()
        ],
        "responses": _responses(verb, path, route, schema_of),
    }
    if forms := _forms(route):
        content = {kind: {"schema": schema_of[id(type_)]} for kind, type_ in forms.items()}
        told["requestBody"] = {"required": bool(route.forms), "content": content}
    if route.tag == PUBLIC:
        told["security"] = []
    else:
        told["description"] = f"Needs the tag {route.tag}, or a higher one."
    return told


def _noun(path: str) -> str:
    """What an operation is about: the first part of its path that says so."""
    return next(part for part in path.split("/")[1:] if part not in {"api", "penstock"})


def _identifier(verb: str, path: str) -> str:
    """A name for a client's function: the verb, and the path without its braces."""
    return "_".join([verb.lower(), *re.findall(r"\w+", path.removeprefix("/api"))])


def _responses(verb: str, path: str, route: Route, schema_of: Mapping[int, Any]) -> dict[str, Any]:
    refusal = {JSON: {"schema": schema_of[id(Refusal)]}}
    refused = {status: {"description": why, "content": refusal} for status, why in REFUSALS.items()}
    schema = {} if route.reply is None else schema_of[id(route.reply)]
    done: dict[str, Any] = {
        "200": {"description": "What was asked for", "content": {route.reply_kind: {"schema": schema}}}
    }
    if verb in QUIET or route.reply is None:
        done |= {"201": {"description": "Made"}, "204": {"description": "Done"}}
    if path.startswith(CHECKS):
        done["503"] = {"description": "It is not so", "content": {JSON: {"schema": schema}}}
    return done | refused


async def show(visit: Visit) -> Reply:
    """The document itself."""
    return json_reply(document(visit.panel.routes.table))


ROUTES: Final[Table] = {
    ("GET", "/api/openapi.json"): Route(show, "This document.", MANAGEMENT, reply=dict[str, Any]),
}
