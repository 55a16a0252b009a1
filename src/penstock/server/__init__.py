"""The broker on the wire: listeners and sessions, who may come in, and what they may do."""
