"""A domain that anchors, and shows to others over real HTTP what they need: its key, and its contents."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from penstock.did.anchoring import Identity
from penstock.did.cas import StoredContents
from penstock.did.credentials import SigningKey, did_web, document_of
from penstock.did.domain.keys import make_key
from penstock.did.domain.places import Places
from penstock.did.parameters import DidParameters
from penstock.sidetree.canonical import canonical
from tests.did.observing.helpers import Author

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class Served(Author):
    """An author that others can ask; `pages` are what it says, by path."""

    pages: dict[str, bytes]
    #: Paths that it was asked for.
    asked: list[str]


@contextmanager
def served(folder: Path) -> Iterator[Served]:
    """A domain on a port of its own, while the block lasts."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    host = f"127.0.0.1:{server.server_port}"
    base, key = f"http://{host}", SigningKey.generate()
    who = Identity(service=f"{base}/services/orb", base=base, key=key, method=f"{did_web(host)}#main-key")
    author = Served(who=who, contents=StoredContents(str(folder)))
    author.pages = {"/.well-known/did.json": canonical(document_of(did_web(host), {"main-key": key.public}))}
    author.asked = []
    server.RequestHandlerClass = _handler(author)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield author
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(author: Served) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            author.asked.append(self.path)
            body = _found(author, self.path)
            self.send_response(200 if body is not None else 404)
            self.send_header("Content-Length", str(len(body or b"")))
            self.end_headers()
            self.wfile.write(body or b"")

        def log_message(self, *arguments: object) -> None:
            """Not here."""

    return Handler


def _found(author: Served, path: str) -> bytes | None:
    if path in author.pages:
        return author.pages[path]
    name = path.removeprefix("/cas/")
    if name == path or not author.contents.has(name):
        return None
    found: bytes = author.contents.get(name, 1 << 30)
    return found


def new_places(folder: Path, database: str = "", broker: str = "amqp://127.0.0.1:1", **more: Any) -> Places:
    """Places of a domain that observes, with a key, and nothing else yet."""
    key = folder / "key.pem"
    make_key(key)
    return Places(
        base="http://127.0.0.1:9",
        database=database or f"sqlite:///{folder}/records.db",
        storage=str(folder / "contents"),
        broker=broker,
        key=str(key),
        parameters=DidParameters(**more.pop("parameters", {})),
        **more,
    )
