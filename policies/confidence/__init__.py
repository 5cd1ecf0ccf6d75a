"""The chance that an answer is right: signals of its reading, and a logistic model over them."""
