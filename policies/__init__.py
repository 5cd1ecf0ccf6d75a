"""Everything that is learned: decomposers, their models, how they are trained, saved and loaded. No LangChain here."""
