"""The back end of a game of empires on Penstock, in Keno Antigen's words: an example, run by the tests."""
