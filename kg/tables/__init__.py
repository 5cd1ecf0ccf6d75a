"""Tables as triples: files with a header or of JSON records, a mapping that says what each column is, and its guess."""
