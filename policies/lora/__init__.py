"""The paper's own decomposer and candidate reasoner: a causal LM fine-tuned with LoRA (Keqing, sections 3.1 and 3.3).

Needs the extra `lora` (torch, transformers, peft); nothing here imports them before a model is trained or opened.
"""
