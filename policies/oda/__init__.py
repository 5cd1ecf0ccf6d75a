"""What ODA chooses by without a model: observed subgraphs, kinds of question, similarity of triples and relations."""
