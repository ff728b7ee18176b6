"""The licences of what is installed beside sottovoce: which are allowed, and what each distribution says of its own."""

from email.message import Message

ALLOWED = {
    "0BSD": ("0BSD",),
    "Apache-2.0": ("Apache 2.0", "OSI Approved :: Apache Software License"),
    "BSD-2-Clause": ("2-clause BSD",),
    "BSD-3-Clause": ("BSD", "3-Clause BSD License", "OSI Approved :: BSD License"),
    "CC0-1.0": (),
    "CNRI-Python": (),
    "LGPL-3.0-only": (),  # psycopg: linked as it is, and replaceable by whoever installs it
    "MIT": ("OSI Approved :: MIT License",),
    "MIT-0": (),
    "MIT-CMU": (),
    "MPL-2.0": ("OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)",),  # certifi: its list of authorities, unchanged
    "PSF-2.0": (
        "PSFL",
        "OSI Approved :: Python Software Foundation License",
    ),
    "ZPL-2.1": ("ZPL 2.1",),
    "Zlib": (),
}
"""The licences that may be installed by an extra, by SPDX id, with the other names that are used for each."""
READ = {
    "locate": "MIT",  # its classifier says proprietary, its LICENSE is MIT's
    "pyxform": "BSD-2-Clause",  # its metadata says nothing
}
"""What the licence files of distributions say whose metadata says something else."""
LONGEST_NAME = 60
"""Characters: what is longer in `License` is the licence itself."""


def licence_of(metadata: Message) -> str:
    """Return a distribution's licence as SPDX has it, or as it is said if that is none of those allowed."""
    if metadata["Name"] in READ:
        return READ[metadata["Name"]]
    expression = metadata.get("License-Expression", "")  # where importlib_metadata is there, [] raises KeyError
    said = expression or metadata.get("License", "")
    if not said or (len(said) > LONGEST_NAME and not expression):
        begins = "License :: "
        classes = [line.removeprefix(begins) for line in metadata.get_all("Classifier", []) if line.startswith(begins)]
        said = " AND ".join(classes) or "none"
    return _spdx(said)


def _spdx(said: str) -> str:
    return next((spdx for spdx, others in ALLOWED.items() if said in others), said)


def is_allowed(licence: str) -> bool:
    """Return whether all that an expression demands at once is allowed. One with parentheses may be refused."""
    terms = licence.replace("(", "").replace(")", "").split(" AND ")
    return all(any(part.strip() in ALLOWED for part in term.split(" OR ")) for term in terms)
