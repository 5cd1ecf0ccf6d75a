"""Reading and writing what users have: triples, entities and questions, as text files or `.gz`."""

from trivium.kg.loaders.entities import EntityReader, read_entities
from trivium.kg.loaders.questions import Branch, Choice, Question, lettered, read_objects, read_questions
from trivium.kg.loaders.rdf_classes import Classes
from trivium.kg.loaders.skips import SkipLog
from trivium.kg.loaders.triples import TripleReader, is_graph, is_graph_export, is_table, read_triples
from trivium.kg.loaders.writers import EntityWriter, GraphWriter, TripleWriter, write_entities, write_triples

__all__ = [
    "Branch",
    "Choice",
    "Classes",
    "EntityReader",
    "EntityWriter",
    "GraphWriter",
    "Question",
    "SkipLog",
    "TripleReader",
    "TripleWriter",
    "is_graph",
    "is_graph_export",
    "is_table",
    "lettered",
    "read_entities",
    "read_objects",
    "read_questions",
    "read_triples",
    "write_entities",
    "write_triples",
]
