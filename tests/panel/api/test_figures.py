from __future__ import annotations

from penstock.broker import Counts, Depths, Growth, Passed, Rates
from penstock.panel.api.figures import depths_told, message_stats, passed_told


def test_counts_and_rates_stand_under_rabbitmqs_names() -> None:
    told = message_stats(Counts(6, 5, 4, 3, 2, 1), Rates(0.6, 0.5, 0.4, 0.3, 0.2, 0.1))
    assert (told["publish"], told["deliver_get"], told["ack"], told["redeliver"]) == (6, 5, 4, 3)
    assert (told["expire"], told["die"]) == (2, 1)
    assert told["ack_details"] == {"rate": 0.4}


def test_the_total_is_what_is_ready_and_what_is_unacked() -> None:
    told = depths_told(Depths(ready=1, held=2, delayed=4, buried=8, taken=16), Growth(2.0, 1.0, 5.0))
    assert (told["messages"], told["messages_unacknowledged"], told["messages_taken"]) == (3, 2, 16)
    assert (told["messages_details"], told["messages_ready_details"]) == ({"rate": 3.0}, {"rate": 2.0})


def test_the_past_of_counts_and_of_depths_stands_beside_them() -> None:
    past = [(5.0, [1, 2, 3, 4, 5, 6, 70, 80, 5, 0, 0])]
    flowed = message_stats(Counts(), Rates(), past)["ack_details"]
    assert flowed == {"rate": 0.0, "samples": [{"sample": 3, "timestamp": 5000}]}
    stood = depths_told(Depths(), Growth(), past)["messages_unacknowledged_details"]
    assert stood == {"rate": 0.0, "samples": [{"sample": 80, "timestamp": 5000}]}
    stood = depths_told(Depths(), Growth(), past)["messages_details"]
    assert stood == {"rate": 0.0, "samples": [{"sample": 150, "timestamp": 5000}]}
    gone_out = passed_told(Passed(3, 4), (0.5, 0.25), [(5.0, [1, 2])])["publish_out_details"]
    assert gone_out == {"rate": 0.25, "samples": [{"sample": 2, "timestamp": 5000}]}
