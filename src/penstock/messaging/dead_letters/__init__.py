"""Dead letters: kept with everything that is known, grouped, and sent once more to whoever failed.

    store = DeadLetterStore("sqlite:///dead-letters.db")
    keeper = DeadLetterKeeper(store, "commons.dead-letters")             # queue → table
    letters = DeadLetters(store, broker)                                 # what people do about them

Pure: record, fingerprint, reading, merging, redriving, selection. With a database: schema, store. With a
broker: keeper, letters.
"""

from penstock.messaging.dead_letters.keeper import DeadLetterKeeper
from penstock.messaging.dead_letters.letters import DeadLetters, Redrive
from penstock.messaging.dead_letters.record import DEAD, REDRIVEN, RETRIED, STATES, DeadLetter, Group
from penstock.messaging.dead_letters.redriving import Edit
from penstock.messaging.dead_letters.selection import Selection
from penstock.messaging.dead_letters.store import DeadLetterStore

__all__ = [
    "DEAD",
    "REDRIVEN",
    "RETRIED",
    "STATES",
    "DeadLetter",
    "DeadLetterKeeper",
    "DeadLetterStore",
    "DeadLetters",
    "Edit",
    "Group",
    "Redrive",
    "Selection",
]
