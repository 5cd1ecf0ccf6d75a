"""Question answering over a knowledge graph: every answer carries the path that proves it."""
