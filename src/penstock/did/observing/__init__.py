"""Observing anchors of all domains: from a hashlink to operations that DIDs are resolved from.

Pure: observation, reading, outcome, findings. With other domains: outboxes. On a database: storing,
hurrying, tries. At work where there is time to wait, in Spark's executors: observer, finder; in the driver:
taken, settling; in a worker: catching_up. What does not hold of all that was observed: auditing.
"""

from penstock.did.observing.finder import Finder, did_in
from penstock.did.observing.observation import LeftOut, Observation
from penstock.did.observing.observer import Observer
from penstock.did.observing.outcome import Outcome, Seen
from penstock.did.observing.reading import read_anchor
from penstock.did.observing.settling import Settling
from penstock.did.observing.storing import store
from penstock.did.observing.taken import Taken

__all__ = [
    "Finder",
    "LeftOut",
    "Observation",
    "Observer",
    "Outcome",
    "Seen",
    "Settling",
    "Taken",
    "did_in",
    "read_anchor",
    "store",
]
