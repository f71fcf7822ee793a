"""Code that the baseline sends to its Python session: read as text, never imported by the package."""
