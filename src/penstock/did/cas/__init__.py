"""Content-addressed storage: contents by their hash, here and at other domains.

Pure: cbor, hashes, hashlink, unixfs, cid, reference. With storage: contents (the port), stored, cache. With
other domains: remote. All of it together: storage, and sources.
"""

from penstock.did.cas.cache import Cache
from penstock.did.cas.cid import Cid, cid_of, raw_cid
from penstock.did.cas.contents import Contents
from penstock.did.cas.hashes import digest_of, resource_hash, verify
from penstock.did.cas.hashlink import HashLink
from penstock.did.cas.reference import Reference
from penstock.did.cas.remote import Remote
from penstock.did.cas.sources import Sources
from penstock.did.cas.storage import Content, ContentStorage
from penstock.did.cas.stored import StoredContents

__all__ = [
    "Cache",
    "Cid",
    "Content",
    "ContentStorage",
    "Contents",
    "HashLink",
    "Reference",
    "Remote",
    "Sources",
    "StoredContents",
    "cid_of",
    "digest_of",
    "raw_cid",
    "resource_hash",
    "verify",
]
