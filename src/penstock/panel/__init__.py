"""The operator's side: the management API in RabbitMQ's forms, the pages above it, and how they are served.

A part (api, own, metrics, accounts, site) exports a table of routes; `application.py` joins the tables. A
handler gets a Visit and the names in its path, and gives a Reply.
"""
