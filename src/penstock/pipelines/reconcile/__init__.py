"""Shared tables compared with their copies in other databases, and consumers told the difference."""
