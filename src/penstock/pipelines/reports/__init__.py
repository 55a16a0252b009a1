"""Reports from the event log: rates, retries, failures and lead times, as tables and as pictures."""

from penstock.pipelines.reports.plots import draw
from penstock.pipelines.reports.report import NAMES, Report, made

__all__ = ["NAMES", "Report", "draw", "made"]
