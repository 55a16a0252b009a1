"""The settings of a broker: one frozen object, from a file, the environment and the command line.

`load()` gives a checked `Settings`; tests and programs may make one directly. Nothing here starts
anything, and nothing but the program's entrance reads the environment.
"""

from penstock.settings.address import Address
from penstock.settings.options import Option
from penstock.settings.settings import OPTIONS, Settings
from penstock.settings.sources import CONFIG_VARIABLE, load

__all__ = ["CONFIG_VARIABLE", "OPTIONS", "Address", "Option", "Settings", "load"]
