"""Questions to ranked query plans, from a graph's schema alone (`reader.py`), and to relation chains (`chains/`)."""
