"""The text that Prometheus reads, held against its own parser."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from penstock.panel.metrics.family import COUNTER, GAUGE, HISTOGRAM, Family, buckets, labelled, sample

HOSTILE = 'a "quoted"\\ name\nwith two lines, é and }{'


def test_a_label_may_be_called_whatever_a_queue_is_called() -> None:
    text = sample(Family("depth", GAUGE, "How many"), 3, queue=HOSTILE, vhost="/")
    (family,) = text_string_to_metric_families(text)
    assert (family.name, family.type, family.documentation) == ("depth", "gauge", "How many")
    assert [(each.labels, each.value) for each in family.samples] == [({"queue": HOSTILE, "vhost": "/"}, 3.0)]


def test_without_labels_there_are_no_braces() -> None:
    assert labelled() == ""
    assert Family("all_total", COUNTER, "All").told([("", 7)]).endswith("\nall_total 7\n")


def test_a_histogram_counts_up_and_tells_the_sum() -> None:
    family = Family("wait_seconds", HISTOGRAM, "Waiting")
    lines = buckets(family.name, labelled(queue="q"), (0.1, 1.0), [2, 0, 5], 42.5)
    (read,) = text_string_to_metric_families(family.head() + "".join(lines))
    told = {(each.name, each.labels.get("le", "")): each.value for each in read.samples}
    assert told == {
        ("wait_seconds_bucket", "0.1"): 2.0,
        ("wait_seconds_bucket", "1.0"): 2.0,
        ("wait_seconds_bucket", "+Inf"): 7.0,
        ("wait_seconds_sum", ""): 42.5,
        ("wait_seconds_count", ""): 7.0,
    }
