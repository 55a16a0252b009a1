"""Our own resources, where RabbitMQ has none: dead letters, schedules, workers, pipelines and others.

Each is asked of a source that the panel was given (port.py, resources.py); without one the answer is 404.
"""

from penstock.panel.own.resources import Resources
from penstock.panel.own.routes import ROUTES

__all__ = ["ROUTES", "Resources"]
