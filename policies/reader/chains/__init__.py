"""The chain reader: questions to relation chains, from the schema and from pairs; its templates and versions."""
