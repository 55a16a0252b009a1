from __future__ import annotations

import pytest

from penstock.did.anchoring.broker_queues import BrokerQueues
from penstock.did.queues import DomainQueues
from tests.did.anchoring.helpers import run
from tests.did.operation_queue.helpers import PaperBroker


def test_a_message_goes_to_the_domains_queue_of_that_name() -> None:
    broker = PaperBroker()
    broker.queues["orb.anchor"] = []
    run(BrokerQueues(broker, DomainQueues()).publish("anchor", b"{}"))
    ((_, message),) = broker.queues["orb.anchor"]
    assert message.body == b"{}"


def test_there_is_no_other_queue() -> None:
    with pytest.raises(ValueError, match="no queue for anchors"):
        run(BrokerQueues(PaperBroker(), DomainQueues()).publish("anchors", b"{}"))
