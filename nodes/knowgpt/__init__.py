"""KnowGPT's stages, each a file or a folder: `link_entities`, `select_prompt`, `extract`, `verbalize`, `answer`."""
