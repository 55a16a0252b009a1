"""For those who hold DIDs: keys in a wallet, operations posted to a domain, and what became of them.

    holder = Holder(WalletFolder(Path("wallet")), clock=SystemClock())
    holder.create("alice", Changes(keys=[new_key]), Beginning(url="https://orb.example.com"))
    holder.wait("alice", within=180)

Pure: seen, wallet, signed, changes, story. On the disk: folder. Over HTTP: remote. At work: holder.
"""

from penstock.did.client.changes import Changes, DocumentKey
from penstock.did.client.folder import WalletFolder
from penstock.did.client.holder import Beginning, Holder
from penstock.did.client.remote import RemoteDomain
from penstock.did.client.seen import Seen
from penstock.did.client.wallet import Step, Wallet

__all__ = [
    "Beginning",
    "Changes",
    "DocumentKey",
    "Holder",
    "RemoteDomain",
    "Seen",
    "Step",
    "Wallet",
    "WalletFolder",
]
