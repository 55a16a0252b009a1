"""Penstock: a message broker and data pipeline for Python teams."""

__all__ = ["__version__"]

__version__ = "0.1.0"
