"""Findings about the checked file itself."""
