"""One file a stage, named after the paper's stage; state, run settings and the answer's shape beside them."""
