"""The laboratory's rules: each module below holds one as `RULE`."""
