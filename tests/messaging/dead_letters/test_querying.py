from __future__ import annotations

import pytest
from sqlalchemy import create_mock_engine

from penstock.messaging.dead_letters import Selection
from penstock.messaging.dead_letters.querying import conditions, groups_of, is_key, page_of
from tests.messaging.dead_letters.making import FAILED


def test_only_what_is_said_is_asked() -> None:
    assert conditions(Selection(state=None)) == []
    said = Selection(consumer="a", type="b", group="c", message_ids=("d",), queues=("e",), where="x = 1")
    assert len(conditions(said)) == 6


def test_a_key_is_consumer_and_id() -> None:
    text = str(is_key(FAILED).compile(compile_kwargs={"literal_binds": True}))
    assert "consumer = 'commons.Notifications'" in text
    assert "message_id = 'm1'" in text


@pytest.mark.parametrize("dialect", ["sqlite", "postgresql"])
def test_the_statements_are_those_of_both_databases(dialect: str) -> None:
    engine = create_mock_engine(f"{dialect}://", executor=print)
    page = str(page_of(Selection(), FAILED, 5).compile(dialect=engine.dialect))
    assert "ORDER BY" in page
    assert " > (" in page
    assert "GROUP BY" in str(groups_of(Selection()).compile(dialect=engine.dialect))
