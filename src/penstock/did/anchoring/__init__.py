"""Anchoring and witnessing of a DID domain: from a batch's files to an anchor known to all.

Pure: identity, statuses, batch, messages. Functions of a database connection: did_anchors, in_process,
anchor_witnesses, links, credential_store, noting. At work: writer, offer_handler, proof_handler,
linkset_handler, receiver, likes, monitor; what these share: candidates, offering, completion; all of it
together: anchoring.
What is needed of the domain's other parts is in ports; broker_queues fills one of them.
"""

from penstock.did.anchoring.anchoring import Anchoring
from penstock.did.anchoring.batch import Batch, recorded_files
from penstock.did.anchoring.broker_queues import BrokerQueues
from penstock.did.anchoring.candidates import Candidates
from penstock.did.anchoring.completion import Completion
from penstock.did.anchoring.credential_store import read_credential
from penstock.did.anchoring.did_anchors import latest_anchors
from penstock.did.anchoring.identity import Identity
from penstock.did.anchoring.likes import Likes
from penstock.did.anchoring.links import copies_of, forget_link, known_links, put_observed
from penstock.did.anchoring.linkset_handler import AnchorLinksetHandler
from penstock.did.anchoring.messages import ANCHOR, ANCHOR_LINKSET, AnchorInfo
from penstock.did.anchoring.monitor import AnchorStatusMonitor
from penstock.did.anchoring.offer_handler import OfferHandler
from penstock.did.anchoring.offering import Offering
from penstock.did.anchoring.ports import Neighbours, Policies, Post, Queues, Services
from penstock.did.anchoring.proof_handler import ProofHandler
from penstock.did.anchoring.receiver import AnchorReceiver
from penstock.did.anchoring.tables import ANCHORING
from penstock.did.anchoring.writer import AnchorWriter

__all__ = [
    "ANCHOR",
    "ANCHORING",
    "ANCHOR_LINKSET",
    "AnchorInfo",
    "AnchorLinksetHandler",
    "AnchorReceiver",
    "AnchorStatusMonitor",
    "AnchorWriter",
    "Anchoring",
    "Batch",
    "BrokerQueues",
    "Candidates",
    "Completion",
    "Identity",
    "Likes",
    "Neighbours",
    "OfferHandler",
    "Offering",
    "Policies",
    "Post",
    "ProofHandler",
    "Queues",
    "Services",
    "copies_of",
    "forget_link",
    "known_links",
    "latest_anchors",
    "put_observed",
    "read_credential",
    "recorded_files",
]
