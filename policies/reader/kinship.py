"""Words for relatives in plainer words, for graphs that have no word for them: a grandparent is a parent's parent.

"Ann's grandparents" are "Ann's parents' parents", "the mother of Ann" is "the female parent of Ann". Without this, a
mother would be any parent: half of such answers are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_IRREGULAR = {"child": "children"}


def plainer_kin(
    text: str,
    kin: Mapping[str, tuple[str, str]],
    knows: Callable[[str], bool],
    lacks: Callable[[str], bool],
    *,
    sexes: bool,
) -> str:
    """The text with its nouns for relatives in words that the graph has; as it is where it has none.

    Args:
        text: a question.
        kin: for a noun, the noun without the sex, and the sex ("" for either): mother, (parent, female).
        knows: whether a noun is the graph's word for a relation.
        lacks: whether the graph has no such word at all.
        sexes: whether the graph says who is male and who is female.
    """
    singulars = {form: noun for noun in kin for form in (noun, _plural(noun))}
    nouns = "|".join(sorted(singulars, key=len, reverse=True))
    found = re.compile(
        rf"(?P<whose>(?:'s|s'|\b(?:her|his|their))\s+)?\b(?P<grand>grand)?(?P<noun>{nouns})\b(?P<of>\s+of\b)?",
        re.IGNORECASE,
    )

    def plainer(match: re.Match[str]) -> str:
        said, whose, of = match["noun"].lower(), match["whose"] or "", match["of"] or ""
        noun = singulars[said]
        base, sex = kin[noun]
        plain = base if said == noun else _plural(base)
        known = knows(base) and lacks(f"{match['grand'] or ''}{noun}") and (sexes or not sex)
        if not known or not (sex or match["grand"]):
            return match[0]
        of_sex = f"{sex} {plain}" if sex else plain
        if not match["grand"]:
            return f"{whose}{plain} who {'is' if plain == base else 'are'} {sex}{of}" if whose else f"{of_sex}{of}"
        if of:
            return f"{whose}{of_sex} of the {_plural(base)} of"
        # "Ann's parents' parent who is female" reads as the parent of one who is.
        return f"{whose}{_plural(base)}' {plain}" if whose and not sex else match[0]

    return found.sub(plainer, text)


def _plural(noun: str) -> str:
    return _IRREGULAR.get(noun, f"{noun}s")
