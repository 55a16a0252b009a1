"""The HTTP application of a domain.

    server = WebServer(application(Site(…)), listen("0.0.0.0", 443))
    await server.start()

Pages by what they show: boxes (the ActivityPub service), discovery, contents, sidetree, did_web, health.
Those for the operator alone: asking, lists, policies. Beneath them: answers, bodies, room, operator, intake,
gathering, wondering. All together: application, with a shortcut for operations: express. Served: serving, by
connections that are bounded.
"""

from penstock.did.web.application import Site, application
from penstock.did.web.gathering import Gathering
from penstock.did.web.intake import OperationIntake
from penstock.did.web.serving import WebServer, listen
from penstock.did.web.wondering import Wondering

__all__ = ["Gathering", "OperationIntake", "Site", "WebServer", "Wondering", "application", "listen"]
