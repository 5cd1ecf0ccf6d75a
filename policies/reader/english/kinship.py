"""Words for relatives in plainer words, for graphs that have no word for them: a grandparent is a parent's parent.

"Ann's grandparents" are "Ann's parents' parents", "the mother of Ann" is "the female parent of Ann". Without this, a
mother would be any parent: half of such answers are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

_IRREGULAR = {"child": "children"}
_CONVERSE = {"child": "parent", "parent": "child"}  # a graph's word for one reads the other, walked back


def plainer_kin(
    text: str,
    kin: Mapping[str, tuple[str, str]],
    knows: Callable[[str], bool],
    lacks: Callable[[str], bool],
    name_at: Callable[[int], int | None],
    *,
    sexes: bool,
) -> str:
    """The text with its nouns for relatives in words that the graph has; as it is where it has none.

    Args:
        text: a question.
        kin: for a noun, the noun without the sex, and the sex ("" for either): mother, (parent, female).
        knows: whether a noun is the graph's word for a relation.
        lacks: whether the graph has no such word at all.
        name_at: where the name begins that the word at an offset belongs to: "All My Sons"; None where it is in none.
        sexes: whether the graph says who is male and who is female.
    """
    singulars = {form: noun for noun in kin for form in (noun, _plural(noun))}
    nouns = "|".join(sorted(singulars, key=len, reverse=True))
    found = re.compile(
        rf"(?P<whose>(?:['\u2019]s|s['\u2019]|\b(?:her|his|their))\s+)?\b(?P<grand>grand)?(?P<noun>{nouns})\b(?P<of>\s+of\b)?",
        re.IGNORECASE,
    )
    for match in reversed([*found.finditer(text)]):
        said = match["noun"].lower()
        base, sex = kin[singulars[said]]
        known = knows(base) or (knows(_CONVERSE.get(base, base)) and lacks(base))
        known = known and lacks(f"{match['grand'] or ''}{singulars[said]}") and (sexes or not sex)
        if not known or not (sex or match["grand"]) or name_at(match.start("noun")) is not None:
            continue
        one, several = (base, _plural(base))
        start, whose, of = match.start(), match["whose"] or "", match["of"] or ""
        plain = one if said in kin else several
        of_sex = f"{sex} {plain}" if sex else plain
        if match["grand"]:
            owner = name_at(start - 1) if whose and sex and not of else None
            if of:
                plainer = f"{whose}{of_sex} of the {several} of"
            elif not sex:
                plainer = f"{whose}{several}{_of(several)} {plain}"
            elif owner is not None:  # "Ann's parents' parent who is female" reads as the parent of one who is
                plainer, start = f"the {of_sex} of {text[owner:start]}{whose}{several}", owner
            else:
                continue
        else:
            plainer = f"{whose}{plain} who {'is' if plain == one else 'are'} {sex}{of}" if whose else f"{of_sex}{of}"
        text = f"{text[:start]}{plainer}{text[match.end() :]}"
    return text


def _of(noun: str) -> str:
    return "'" if noun.endswith("s") else "'s"


def _plural(noun: str) -> str:
    return _IRREGULAR.get(noun, f"{noun}s")
