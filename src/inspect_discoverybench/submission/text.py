"""Texts of models and people as they are compared."""


def normalize_case_and_spaces(text: str) -> str:
    """Fold case and collapse white space."""
    return " ".join(text.casefold().split())
