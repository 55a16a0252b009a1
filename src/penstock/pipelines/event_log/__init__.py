"""The event log: every event, and if wanted every step of a message's life, in tables that SQL can ask."""

from penstock.pipelines.event_log.events import MESSAGE_COLUMNS, events
from penstock.pipelines.event_log.lives import MESSAGE_COLUMNS as LIFE_COLUMNS
from penstock.pipelines.event_log.lives import lives
from penstock.pipelines.event_log.log import EventLog
from penstock.pipelines.event_log.views import register_views

__all__ = ["LIFE_COLUMNS", "MESSAGE_COLUMNS", "EventLog", "events", "lives", "register_views"]
