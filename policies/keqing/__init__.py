"""What Keqing learns: decomposers (compact, LoRA), their models and words, templates, operators; saved in versions."""
