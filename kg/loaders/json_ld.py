"""JSON-LD whose context is a document on the web, which is not loaded: its terms are taken as they are written."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator
from typing import Any, BinaryIO

from trivium.kg.values import read_value

CONTEXT = b'"@context"'

_KEYWORDS = ("id", "type")  # what contexts call @id and @type, as schema.org's does
_WITHIN = 4096  # bytes
_ISO = re.compile(r"\d{4}-\d\d-\d\d|P(?:T?\d)")
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATATYPES = {"date": f"{_XSD}date", "datetime": f"{_XSD}dateTime", "duration": f"{_XSD}duration"}


def is_json_ld(start: bytes) -> bool:
    """Whether JSON that begins with these bytes is JSON-LD."""
    return CONTEXT in start[:_WITHIN]


def with_own_context(file: BinaryIO) -> BinaryIO:
    """JSON-LD with a vocabulary in place of each context that is an address: `https://schema.org` has its own terms.

    A term is then the address and the term, so that it keeps its words; dates, times and durations are taken for what
    they are, since the context that may say so is not known. JSON that cannot be read is passed on, for the parser to
    say why.
    """
    content = file.read()
    try:
        document = json.loads(content)
    except (ValueError, RecursionError):
        return io.BytesIO(content)
    objects = list(_objects(document))
    if not any(_is_address(each) for record in objects for each in _contexts(record)):
        return io.BytesIO(content)
    # A record that has both is one whose "id" is a field of its own.
    fields = [word for word in _KEYWORDS if any(word in each and f"@{word}" in each for each in objects)]
    aliases = {word: f"@{word}" for word in _KEYWORDS if word not in fields}
    for record in objects:
        for key, value in record.items():
            if key == "@context":
                record[key] = [_vocabulary(each, aliases) if _is_address(each) else each for each in _contexts(record)]
            elif not key.startswith("@") and key not in aliases:
                record[key] = [_typed(each) for each in value] if isinstance(value, list) else _typed(value)
    return io.BytesIO(json.dumps(document).encode())


def _typed(value: object) -> object:
    """A text that is a date, a date with a time or a duration as such a value; any other as it is."""
    datatype = _DATATYPES.get(read_value(value).kind) if isinstance(value, str) and _ISO.match(value) else None
    return {"@value": value, "@type": datatype} if datatype else value


def _objects(value: object) -> Iterator[dict[str, Any]]:
    """All objects of a document but those that are contexts."""
    open_: list[Any] = [value]
    while open_:
        each = open_.pop()
        if isinstance(each, dict):
            yield each
            open_ += [part for key, part in each.items() if key != "@context"]
        elif isinstance(each, list):
            open_ += each


def _contexts(record: dict[str, Any]) -> list[Any]:
    found = record.get("@context", [])
    return found if isinstance(found, list) else [found]


def _is_address(context: object) -> bool:
    return isinstance(context, str)


def _vocabulary(address: str, aliases: dict[str, str]) -> dict[str, str]:
    """A context whose terms are those of an address; schema.org's are known by `http://schema.org/`."""
    bare = address.rstrip("/#")
    if bare.removesuffix("/docs/jsonldcontext.json").partition("://")[2] in ("schema.org", "www.schema.org"):
        return {"@vocab": "http://schema.org/", **aliases}
    return {"@vocab": address if address.endswith(("/", "#")) else f"{address}#", **aliases}
