"""The rules: one file each, grouped by what they are about."""
