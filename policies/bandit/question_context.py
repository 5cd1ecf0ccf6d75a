"""The bandit's context vector c of a question (KnowGPT, equation 6)."""

from __future__ import annotations

import string

import numpy as np

from trivium.kg.embedders import Embedder
from trivium.policies.bandit.prompt_bandit import Floats


def question_context(embedder: Embedder, question: str) -> Floats:
    """The mean of the words' unit vectors, made a unit vector: float32 [d]; all zeros for a text without words.

    The paper takes the question's embedding from a language model. Static vectors are made for what a text is about:
    their pooled vector hardly shows how it is asked, since words such as "which", "that" and "both" are short vectors
    there. With every word at the same length they speak as loudly as names do (deviation B3, measured there).
    """
    words = [word for part in question.split() if (word := part.strip(string.punctuation))]
    if not words:
        return np.zeros(embedder.dimensions, np.float32)
    mean = embedder.embed(words).mean(axis=0)
    length = float(np.linalg.norm(mean))
    return np.asarray(mean / length if length else mean, np.float32)
