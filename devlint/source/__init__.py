"""Files as they are on disk: bytes, encodings, newlines, discovery, suppression comments."""
