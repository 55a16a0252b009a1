"""Reaching other domains by HTTP: bounded in bytes, in time and in patience.

The port of who only reads: port. Pure: statuses, addresses. At work: fetching, which connects by dialing, and
remembers with patience who keeps it waiting.
"""

from penstock.did.http.fetching import HttpFetcher

__all__ = ["HttpFetcher"]
