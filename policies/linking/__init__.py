"""Names in texts to entities: one linker for all methods."""

from trivium.policies.linking.names import MemoryNames, NamedEntity, NameIndex

__all__ = ["MemoryNames", "NameIndex", "NamedEntity"]
