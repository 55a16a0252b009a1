"""Three small services that tell each other of changes, and lose none: an example, run by the tests."""
