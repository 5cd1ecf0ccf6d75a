"""The bundled sample KG: some two thousand facts on films, books, companies, places and people, and questions over it.

Written by us from general knowledge for Trivium; every fact is meant to be true, no list is meant to be complete.

- `triples.tsv`: `head<TAB>relation<TAB>tail`, no header. Years are literals (`1956`); other heads and tails are ids.
- `entities.tsv`: `id<TAB>label<TAB>aliases<TAB>types`, no header; aliases and types separated by `|`. Labels repeat.
- `questions.{train,test,fresh}.jsonl`: a question a line with its gold chain and its answers.

A fact is stored once, in one direction, but for the symmetrical relations `borders` and `spouse`, which are stored in
both. `spouse` includes former marriages; `has_ceo`, `headquartered_in` and `owned_by` are as of early 2025.

A question follows `chain` from its single topic (`^rel`: from tail to head). With `branches`, each branch is followed
from its own topic, the results intersect, and `chain` goes on from there. With `exclude_topic`, the topic entities are
removed after every hop.
"""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).resolve().parent

TRIPLES: Path = _HERE / "triples.tsv"
"""The facts."""

ENTITIES: Path = _HERE / "entities.tsv"
"""Labels, aliases and types of every id that is not a literal."""

TRAIN_QUESTIONS: Path = _HERE / "questions.train.jsonl"
"""Questions to learn from."""

TEST_QUESTIONS: Path = _HERE / "questions.test.jsonl"
"""Held-out questions: other wordings than in train."""

FRESH_QUESTIONS: Path = _HERE / "questions.fresh.jsonl"
"""Questions worded by somebody who saw the facts alone, neither train nor test; nothing was tuned on them."""

PATHS: Path = _HERE / "knowgpt"
"""The path policy learned on the sample (`python -m trivium.evals.sample_paths`)."""
