from __future__ import annotations

import pytest

from penstock.errors import OutboxError
from penstock.outbox import RelaySettings


def test_pauses_grow_up_to_the_most() -> None:
    settings = RelaySettings(backoff_initial=1, backoff_multiplier=3, backoff_max=20)
    assert [settings.backoff(failures) for failures in (1, 2, 3, 4, 5000)] == [1, 3, 9, 20, 20]


@pytest.mark.parametrize("bad", [{"batch": 0}, {"alert_at": 0}, {"lease": 5.0}, {"lease": 20.0}])
def test_settings_that_cannot_be_are_refused(bad: dict[str, int]) -> None:
    with pytest.raises(OutboxError):
        RelaySettings(**bad)  # type: ignore[arg-type]


def test_the_alert_is_at_five_as_the_seed_says() -> None:
    assert RelaySettings().alert_at == 5
