"""The back end of a small game of empires on Penstock, in seed 004's words: an example, run by the tests."""
