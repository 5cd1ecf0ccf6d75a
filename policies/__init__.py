"""Everything that is learned: decomposers, their models, and how they are trained, saved and loaded. No LangChain here."""
