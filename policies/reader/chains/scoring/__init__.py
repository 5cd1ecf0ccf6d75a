"""A learned scorer of relation chains: a small recurrent network over a masked question, trained on a user's pairs."""
