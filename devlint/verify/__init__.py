"""Running a program on an accelerator, a real one or a simulated one, and saying where its work was done."""
