"""Texts as the font of pictures can draw them."""

import unicodedata

from matplotlib import font_manager

_LONGEST = 60
"""A label of more characters would leave a picture no room."""


def drawable(label: str) -> str:
    """Return the label with characters that the font lacks, emoji mostly, by their names."""
    font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
    drawn = ""
    for character in label:
        if font.get_char_index(ord(character)):
            drawn += character
        elif unicodedata.category(character) not in ("Cf", "Mn"):  # joiners, and marks that choose a picture
            name = unicodedata.name(character, f"U+{ord(character):X}").lower()
            drawn += f" {name}" if drawn else name
    return drawn


def short(label: str) -> str:
    """Return a label as it can be drawn, cut where it is too long to stand beside a picture."""
    drawn = drawable(label)
    return drawn if len(drawn) <= _LONGEST else f"{drawn[: _LONGEST - 2].rstrip()} .."
