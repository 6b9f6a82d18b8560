"""Rewriting: edits, the device plan, applying and checking again."""
