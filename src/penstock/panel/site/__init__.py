"""The pages that operators live in: a shell rendered here, and small modules that ask the HTTP API.

`pages.py` says which there are, `shell.py` writes what is around them, `assets.py` has their modules and
style; `handlers.py` answers, and exports the table of routes. The pages know the API and nothing else, so the
same pages stand before a RabbitMQ.
"""

from penstock.panel.site.handlers import ROUTES

__all__ = ["ROUTES"]
