"""The knowledge-graph layer: types, errors, stores, snapshot, embedders, indexes, loaders and the bundled sample."""
