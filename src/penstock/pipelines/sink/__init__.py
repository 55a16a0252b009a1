"""The sink: rows as messages, published with confirms from the executors."""
