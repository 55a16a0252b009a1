"""What all tests share: the real servers, and how Hypothesis looks for counterexamples."""

from __future__ import annotations

import gc
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    from collections.abc import Generator

pytest_plugins = ["pytester", "tests.scheduling", "tests.servers.plugin", "tests.servers.fixtures"]

# Two busy cores with coverage switched on say nothing about how slow an example is.
settings.register_profile(
    "house", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """What is collected stays to the end: no search for garbage need look at it, neither now nor later."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_unconfigure() -> None:
    """At the end it is garbage like any other; DuckDB tells pages of what was not taken away."""
    gc.unfreeze()
