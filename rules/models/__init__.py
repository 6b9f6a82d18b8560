"""Modules that are not where their input is."""
