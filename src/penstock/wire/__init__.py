"""Bytes <-> commands, both roles, one package a protocol. Pure: no I/O, no clock, no wiring."""
