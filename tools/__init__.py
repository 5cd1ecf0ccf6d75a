"""Thin tools over a KG: plain async functions that the nodes call, offered as LangChain tools by `tools.registry`."""
