"""What every answer of the panel tells the browser, for its own good. Pure.

The policy lets the page load what this server has, and nothing else: no script or style within the page,
none from elsewhere, no plug-in, no frame around it or in it. A message's content that came to the page as
markup by some mistake would still not run.
"""

from __future__ import annotations

from typing import Final

__all__ = ["ALWAYS", "API", "POLICY", "headers_for"]

#: Content Security Policy, level 3. `connect-src 'self'` covers the live socket, too.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'"
)
ALWAYS: Final = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    # For browsers that do not know frame-ancestors.
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "same-origin"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)
#: What is told of queues and people stays in no cache, on disk or on the way.
API: Final = (("Cache-Control", "no-store"),)
TLS: Final = (("Strict-Transport-Security", "max-age=31536000"),)
#: Paths whose answers are the same for everybody, and may be kept.
PUBLIC: Final = "/static/"


def headers_for(path: str, *, is_tls: bool) -> tuple[tuple[str, str], ...]:
    """The headers of an answer at this path."""
    return ALWAYS + (() if path.startswith(PUBLIC) else API) + (TLS if is_tls else ())
