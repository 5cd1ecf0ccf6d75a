"""Keqing's stages, one file each, and beside a stage its prompt and the shape of its answer.

In order: `decompose`, `review`, `match_template`, `link_entities`, `retrieve`, `reason`, `compute`, `respond`.
"""
