"""Names in texts to entities: one linker for all methods."""

from trivium.policies.linking.names import MemoryNames, NamedEntity, NameIndex
from trivium.policies.linking.snapshot_names import SnapshotNames

__all__ = ["MemoryNames", "NameIndex", "NamedEntity", "SnapshotNames"]
