"""What the code does to devices: names, values, placements, and the facts that rules read."""
