"""KnowGPT's path extraction: environment, features, training, policy, search."""
