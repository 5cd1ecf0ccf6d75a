"""`trivium kg vectors`: every entity's vector made now, so that no observation waits for one."""

from __future__ import annotations

from trivium.app.cli.kg.options import JsonOption, KGArgument
from trivium.app.cli.output import print_facts, print_json


def vectors(kg: KGArgument, as_json: JsonOption = False) -> None:
    """Make the vectors of all entities now; without this, each is made when an observation first meets it.

    For a KG in Neo4j they are those of its walking snapshot: run trivium kg snapshot first.
    """
    from trivium.app.cli.progress import progress
    from trivium.knowledge.knowledge import Knowledge

    with Knowledge.open(kg) as opened, progress() as show:
        path = opened.make_vectors(show)
    told = {"file": str(path), "bytes": path.stat().st_size}
    (print_json if as_json else print_facts)(told)
