"""Metrics for Prometheus, under RabbitMQ's names where it has some: tables of families."""

from penstock.panel.metrics.routes import ROUTES

__all__ = ["ROUTES"]
