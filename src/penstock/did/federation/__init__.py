"""The ActivityPub service of a domain: who it knows, what it tells them, and what it is told.

    federation = Federation(database, broker, iris=Iris("https://a.example"), peers=…, delivery=…)
    federation.handlers.on_offer(witness)       # what the domain's other parts do about activities
    await federation.start()
    await federation.follow("https://b.example/services/orb")
    await federation.outbox.post(activity)

Pure: iris, outgoing, acceptance, wishes, essentials. Functions of a database connection: archive, membership,
grants, words, lists, marks, shortening. At work: outbox (recipients), inbox (handlers), relations, echoes.
Asked by other parts: neighbours. Over HTTP: delivery; the way in is penstock.did.web.
"""

from penstock.did.federation.acceptance import Acceptance
from penstock.did.federation.delivery import Delivery
from penstock.did.federation.federation import Federation, FederationRules
from penstock.did.federation.handlers import Handlers
from penstock.did.federation.inbox import Inbox
from penstock.did.federation.iris import Iris
from penstock.did.federation.neighbours import AllowedOrigins, Neighbours, WitnessPolicies
from penstock.did.federation.outbox import Outbox
from penstock.did.federation.tables import FEDERATION
from penstock.did.federation.words import put_witness_policy, witness_policy

__all__ = [
    "FEDERATION",
    "Acceptance",
    "AllowedOrigins",
    "Delivery",
    "Federation",
    "FederationRules",
    "Handlers",
    "Inbox",
    "Iris",
    "Neighbours",
    "Outbox",
    "WitnessPolicies",
    "put_witness_policy",
    "witness_policy",
]
