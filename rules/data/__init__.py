"""Batches and tensors that are not where the model is."""
