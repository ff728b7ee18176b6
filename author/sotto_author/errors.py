"""What can go wrong on the author's side: catch `AuthorError`, raise a leaf.

SottoError
└── AuthorError      a file that cannot be read or written, a survey of which something can never be shown
    ├── FormError    another program's form that cannot become a survey
    └── Unreachable  something that was to be compared could not be fetched
"""

from sotto_protocol import SottoError


class AuthorError(SottoError):
    """The base of what the author's commands raise on purpose."""


class FormError(AuthorError):
    """A form of another program cannot become a survey as it is.

    `problems` has all that is wrong, each with its place and what to do.
    """

    def __init__(self, *problems: str) -> None:
        super().__init__(*problems)
        self.problems = problems

    def __str__(self) -> str:
        return "\n  ".join(self.problems)


class Unreachable(AuthorError):  # noqa: N818  # reads as what it is
    """Something that was to be compared could not be fetched."""
