"""Texts of models and people as they are compared."""


def normalize_case_and_spaces(text: str) -> str:
    """Fold case and collapse white space."""
    words = text.casefold().split()
    return " ".join(words)


def has_words(text: str) -> bool:
    """Whether a text has a letter or a digit."""
    return any(character.isalnum() for character in text)
