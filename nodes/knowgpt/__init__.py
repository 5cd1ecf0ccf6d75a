"""KnowGPT's stages, one file each: `link_entities`, `select_prompt`, `extract`, `verbalize`, `answer`."""
