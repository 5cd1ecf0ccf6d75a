"""Keqing's stages, each a file or a folder with its prompt and the shape of its answer beside it.

In order: `decompose`, `link_entities`, `match_template`, `review`, `retrieve`, `reason`, `compute`, `respond`.
"""
