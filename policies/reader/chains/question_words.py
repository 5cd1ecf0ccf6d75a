"""English words that every question may hold, and what some of them ask for."""

from __future__ import annotations

# fmt: off
ASKING = frozenset({"which", "what", "who", "whom", "whose", "when", "where", "how"})
"""Words that ask."""

KINDS = frozenset({"kind", "kinds", "type", "types", "sort", "sorts"})
"""Nouns that leave open what they are kinds of."""

YES_NO = frozenset({"is", "are", "was", "were", "does", "do", "did", "has", "have"})
"""Verbs that a question begins with which asks for yes or no."""

SAME = frozenset({"same", "share", "shared", "shares", "sharing", "co", "together", "jointly", "common"})
"""Words for a relation walked and straight back: what shares the director with a film."""

ONES_LIKE_IT = frozenset({"also", "other", "others", "else", "another", "with", "besides", "too", "alongside"})
"""Words that may say the same."""

FUNCTION_WORDS = frozenset({
    "a", "about", "all", "also", "an", "and", "another", "any", "are", "as", "at", "be", "been", "being", "besides",
    "both", "but", "by", "can", "could", "did", "do", "does", "each", "else", "ever", "every", "few", "for",
    "give", "had", "has", "have", "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "just",
    "list", "many", "me", "more", "most", "much", "my", "name", "not", "now", "of", "on", "one", "only", "or", "other",
    "others", "our", "out", "please", "right", "s", "she", "show", "so", "some", "t", "tell", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "today", "too", "under", "up", "us",
    "was", "we", "were", "what", "when", "where", "which", "who", "whom", "whose", "why", "will", "with", "would",
    "you", "your",
})
"""Words that say nothing about relations by themselves, and are never part of a name by themselves."""
# fmt: on

QUESTION_WORDS = FUNCTION_WORDS | ASKING | KINDS | SAME | ONES_LIKE_IT
"""All of them."""
