"""Changes to a document: what each may say, and what it does.

One file an action, or two that mirror each other; the table is in actions. A check looks at the patch
alone, applying looks at the document too, and never changes the one that it is given.
"""

from penstock.sidetree.patches.actions import apply_patch, check_patch

__all__ = ["apply_patch", "check_patch"]
