from __future__ import annotations

import pytest

from penstock.did.http.statuses import is_passing


@pytest.mark.parametrize("status", [408, 425, 429, 500, 503, 599])
def test_what_may_be_otherwise_later_is_asked_again(status: int) -> None:
    assert is_passing(status)


@pytest.mark.parametrize("status", [200, 204, 302, 400, 401, 404, 410, 426])
def test_what_is_decided_is_not(status: int) -> None:
    assert not is_passing(status)
