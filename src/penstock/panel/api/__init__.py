"""RabbitMQ's management API, one noun a file; which path leads where stands in `routes.py`."""
