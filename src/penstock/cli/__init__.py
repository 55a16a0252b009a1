"""`penstock …`: what a person types."""

from penstock.cli.app import main

__all__ = ["main"]
