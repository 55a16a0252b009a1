"""AMQP 0-9-1 sessions: RabbitMQ's dialect on the wiring."""
