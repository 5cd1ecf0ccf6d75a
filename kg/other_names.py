"""What properties of names are called: what RDF's other labels become, and cells of names in several languages."""

from __future__ import annotations

from trivium.kg.languages import spoken

ALT_LABEL = "http://www.w3.org/2004/02/skos/core#altLabel"
"""Of other names in a thing's own language."""

_LABEL = " label"


def label_in(language: str) -> str:
    """The property of names in a language: `japanese label`."""
    return f"{language}{_LABEL}"


def language_of_labels(name: str) -> str:
    """The language of such a property; "" of any other."""
    return name.removesuffix(_LABEL) if name.endswith(_LABEL) and is_only_names(name) else ""


def is_only_names(name: str) -> bool:
    """Whether a property's values are names of its things, by which they are found."""
    return name == ALT_LABEL or (name.endswith(_LABEL) and bool(spoken(name.removesuffix(_LABEL))))
