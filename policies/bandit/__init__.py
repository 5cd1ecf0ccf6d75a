"""KnowGPT's prompt selection: a contextual bandit and its feedback log."""
