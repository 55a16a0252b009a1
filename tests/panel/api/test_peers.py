from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from penstock.panel.api.peers import channel_name, connection_name, own_end, peer_of_session, user_of


class Transport:
    def __init__(self, **known: Any) -> None:
        self.known = known

    def get_extra_info(self, name: str) -> Any:
        return self.known.get(name)


def session(**known: Any) -> Any:
    return cast("Any", SimpleNamespace(transport=Transport(**known), guard=None))


def test_a_connection_is_called_as_rabbitmq_calls_it() -> None:
    one = session(peername=("10.0.0.1", 5000), sockname=("10.0.0.2", 5672))
    assert connection_name(one) == "10.0.0.1:5000 -> 10.0.0.2:5672"
    assert channel_name(one, 3) == "10.0.0.1:5000 -> 10.0.0.2:5672 (3)"
    assert (peer_of_session(one), own_end(one)) == (("10.0.0.1", 5000), ("10.0.0.2", 5672))


@pytest.mark.parametrize("known", [{}, {"peername": "", "sockname": ""}])
def test_those_of_this_process_have_a_name_of_their_own(known: dict[str, Any]) -> None:
    one, other = session(**known), session(**known)
    assert connection_name(one) != connection_name(other)
    assert connection_name(one) == connection_name(one)
    assert peer_of_session(one) == ("", 0)


def test_who_has_not_said_who_it_is_has_no_name() -> None:
    assert user_of(session()) == ""
    assert user_of(cast("Any", SimpleNamespace(guard=SimpleNamespace(user="eve")))) == "eve"
