"""Copies between host and device that cost more than they need to."""
