"""What all tests share: the real servers, and how Hypothesis looks for counterexamples."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

pytest_plugins = ["pytester", "tests.scheduling", "tests.servers.plugin", "tests.servers.fixtures"]

# Two busy cores with coverage switched on say nothing about how slow an example is.
settings.register_profile(
    "house", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("house")
