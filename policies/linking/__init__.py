"""Names in texts to entities: one linker for all methods."""

from trivium.policies.linking.names import MemoryNames, NamedEntity, NameIndex, SnapshotNames

__all__ = ["MemoryNames", "NameIndex", "NamedEntity", "SnapshotNames"]
