"""The panel before a broker elsewhere, which need not be Penstock: its pages here, its API there.

Whoever asks says who they are as that broker knows them, with HTTP's Basic authentication; nothing of it is
kept here. What only Penstock can tell is not there.
"""

from penstock.panel.elsewhere.desk import ElsewhereDesk

__all__ = ["ElsewhereDesk"]
