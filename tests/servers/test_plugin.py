"""A test run inside the test run, with programs that do not exist anywhere."""

from __future__ import annotations

import os

import pytest

SUITE = """
    import pytest

    @pytest.fixture(autouse=True, scope="session")
    def neverwhere():
        from tests.servers.programs import PROGRAMS, Program
        for name in ("neverwhered", "nowhered"):
            PROGRAMS[name] = Program(name=name, commands=(name,), package=name)
        PROGRAMS["sh"] = Program(name="sh", commands=("sh",), package="dash")

    @pytest.fixture(scope="session")
    def server(real_program):
        return real_program("neverwhered")

    def test_one(server): ...
    def test_two(server): ...
    def test_other(real_program): real_program("nowhered")
    def test_there(real_program): assert real_program("sh").name == "sh"
    def test_without(): ...
"""


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """The suite above, run by an ordinary user: nothing is to be installed."""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.delenv("CI", raising=False)
    pytester.makepyfile(SUITE)
    return pytester


def run(suite: pytest.Pytester, *arguments: str) -> pytest.RunResult:
    return suite.runpytest_inprocess("-p", "tests.servers.plugin", *arguments)


def test_a_missing_server_skips_with_a_visible_count(suite: pytest.Pytester) -> None:
    result = run(suite)
    result.assert_outcomes(passed=2, skipped=3)
    result.stdout.fnmatch_lines(
        ["real servers missing: neverwhered (2 tests skipped), nowhered (1 test skipped)"]
    )
    assert result.ret == pytest.ExitCode.OK


def test_where_nothing_may_be_missing_it_fails(
    suite: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(suite)
    # A server that a fixture starts fails before its tests, one that a test asks for fails in it.
    result.assert_outcomes(passed=2, failed=1, errors=2)
    result.stdout.fnmatch_lines(
        ["real servers missing: neverwhered (2 tests failed), nowhered (1 test failed)"]
    )
    assert result.ret == pytest.ExitCode.TESTS_FAILED


def test_the_reason_says_what_to_do(suite: pytest.Pytester) -> None:
    result = run(suite, "-rs")
    result.stdout.fnmatch_lines(["*neverwhered is not here; have root run 'apt-get install neverwhered'"])


def test_nothing_is_said_when_nothing_is_missing(suite: pytest.Pytester) -> None:
    result = run(suite, "-k", "there or without")
    result.assert_outcomes(passed=2, deselected=3)
    result.stdout.no_fnmatch_line("*real servers missing*")


def test_the_counts_of_parallel_workers_come_together(suite: pytest.Pytester) -> None:
    suite.makeconftest("import os\nos.geteuid = lambda: 1000")
    result = run(suite, "-n", "2")
    result.stdout.fnmatch_lines(
        ["real servers missing: neverwhered (2 tests skipped), nowhered (1 test skipped)"]
    )
