"""The operations of all DIDs that a domain has observed, and resolving DIDs from them.

The port: port. Functions of a database connection: adding, history, unpublished. At work: resolver, which
asks for many DIDs together, and UnpublishedOperations for those that are not anchored yet.
"""

from penstock.did.operations.adding import add_operations
from penstock.did.operations.history import operations_of
from penstock.did.operations.layout import OPERATIONS
from penstock.did.operations.port import Resolver
from penstock.did.operations.resolver import StoredResolver
from penstock.did.operations.unpublished import UnpublishedOperations, remove_unpublished

__all__ = [
    "OPERATIONS",
    "Resolver",
    "StoredResolver",
    "UnpublishedOperations",
    "add_operations",
    "operations_of",
    "remove_unpublished",
]
