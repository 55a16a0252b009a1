"""Accounts: who uses the page, and what they have changed.

Pure: about, sessions, cookie, headers. With a file: audit, audit_file. On HTTP: door, guarding, routes.
"""

from penstock.panel.accounts.accounts import Accounts
from penstock.panel.accounts.guarding import Guarding, announce, conclude
from penstock.panel.accounts.routes import ROUTES

__all__ = ["ROUTES", "Accounts", "Guarding", "announce", "conclude"]
