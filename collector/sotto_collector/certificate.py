"""Certificates of erasure: what went, by which day, and what the store itself counts of it now."""

import re

from sotto_collector.errors import CertificateError, NotErasedError, UnknownReportError
from sotto_collector.store import Store, StoredSurvey
from sotto_collector.store.gateway import is_possible, read_identity, sign
from sotto_collector.store.retention import find_erasure
from sotto_collector.store.stock import Stock, count_stock, find_report
from sotto_protocol import Survey
from sotto_protocol.documents import canonical_json
from sotto_protocol.extras import install_command

FORMAT = "sottovoce-erasure-1"
"""`copies_until`: copies of the database of this day and before may hold what was erased."""
SIGNED = b"sottovoce certificate of erasure 1\n"
"""How all begins that is signed: so nothing else that the key signs is taken for a certificate."""
REPORT, REPORTS, SURVEY = KINDS = ("report", "reports", "survey")
"""What a certificate is of: one report, all of a survey, a survey with all that belonged to it."""
SAYS_NOTHING_OF = (
    "backups, and copies or snapshots of the database's files, from before",
    "what was exported, given to analysts, estimated or published before",
    "the write-ahead log, archives and replicas of a PostgreSQL server",
    "traces in the database's own files until the collector next tidies up, in a small store at most a minute later",
    "copies kept by a changed program, a proxy, or anybody else who saw the reports",
)
"""What the store cannot see."""

Certificate = dict[str, object]


def certify_survey(store: Store, stored: StoredSurvey, erased: Stock) -> Certificate:
    """Return the certificate of a survey that was just erased as a whole, and held `erased`."""
    with store.snapshot() as connection:
        left = count_stock(connection, stored.key)
    gone = {"erased": erased._asdict(), "left": left._asdict(), "copies_until": store.today()}
    return _write(SURVEY, stored.survey, store, **gone)


def certify_reports(store: Store, stored: StoredSurvey) -> Certificate:
    """Return the certificate of a survey whose reports went on their day. Raises NotErasedError."""
    with store.snapshot() as connection:
        erasure, left = find_erasure(connection, stored.key), count_stock(connection, stored.key)
    if erasure is None or left.reports:
        when = f"; they are due to be erased by {stored.survey.erase_on}" if stored.survey.erase_on else ""
        raise NotErasedError(f"the reports of survey {stored.survey.id} were not erased{when}.")
    survey = stored.survey
    promised = {"closes": survey.closes, "erase_after": survey.erase_after, "erased_on": erasure.day}
    promised |= {"copies_until": erasure.day}
    return _write(REPORTS, survey, store, erased={"reports": erasure.n_reports}, left=left._asdict(), **promised)


def certify_report(store: Store, stored: StoredSurvey, report_id: bytes) -> Certificate:
    """Return the certificate of one report. Raises UnknownReportError, NotErasedError, NotKeptError.

    Of a survey that keeps counts alone there is none: nobody learns whether a receipt is one of its.
    """
    if not stored.survey.keeps_reports:
        stored.require_reports()
    with store.snapshot() as connection:
        packed = find_report(connection, stored.key, report_id)
    if packed is None:
        raise UnknownReportError("no report of this survey has this receipt.")
    if packed:
        raise NotErasedError("the report with this receipt was not erased.")
    return _write(
        REPORT, stored.survey, store, receipt=report_id.hex(), erased={"reports": 1}, left={"reports": 0, "ids": 1}
    )


def _write(what: str, survey: Survey, store: Store, **more: object) -> Certificate:
    return sign_certificate(
        store,
        {
            "format": FORMAT,
            "what": what,
            "survey": survey.id,
            "fingerprint": survey.fingerprint,
            "recounted_on": store.today(),
            **more,
            "says_nothing_of": list(SAYS_NOTHING_OF),
        },
    )


def sign_certificate(store: Store, certificate: Certificate) -> Certificate:
    """Return a certificate with the collector's key and its signature (Ed25519), where it has a key and can sign."""
    with store.reader() as connection:
        key = read_identity(connection)
        if key is None or not is_possible():
            return certificate
        signed = certificate | {"key": key.hex()}
        return signed | {"signature": sign(connection, signed_bytes(signed)).hex()}


def check_certificate(certificate: Certificate, key: str) -> None:
    """Raise CertificateError unless a certificate was signed with a key, and not changed since."""
    if not re.fullmatch("[0-9a-f]{64}", key):
        raise CertificateError("key must be 64 hexadecimal digits, as the survey page shows it.")
    if not is_possible():
        raise CertificateError(f"a signature can be checked with: {install_command('oblivious')}.")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    said, signature = certificate.get("key", "none"), certificate.get("signature")
    if said != key or not isinstance(signature, str):
        raise CertificateError(f"the certificate is signed with another key ({said}) than the one expected ({key}).")
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key))
        public.verify(bytes.fromhex(signature), signed_bytes(certificate))
    except (InvalidSignature, ValueError):
        raise CertificateError("the signature is wrong: the certificate was changed, or never signed.") from None


def signed_bytes(certificate: Certificate) -> bytes:
    """Return what is signed: a line of its own, and the certificate's other members as canonical JSON."""
    return SIGNED + canonical_json({name: value for name, value in certificate.items() if name != "signature"})
