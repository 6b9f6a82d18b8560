"""Code that names one kind of accelerator."""
