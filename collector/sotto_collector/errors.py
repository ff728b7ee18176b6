"""What can go wrong in a collector: catch `CollectorError`, raise a leaf.

SottoError
└── CollectorError
    ├── SettingError             a setting is outside its domain
    ├── StoreError               the database file cannot be used: foreign, newer, not writable
    │   ├── StoreUnavailableError    the database failed just now, or did not respond; the same may succeed later
    │   └── JournalError             a journal cannot be used: damaged, of another store, not writable
    ├── BusyError                more reports are waiting for their commit than the settings allow
    ├── SurveyExistsError        another survey has this id
    ├── SurveyClosedError        the survey takes no more reports
    ├── SurveyOpenError          the survey must be closed first
    ├── InvitationError          a report's invitation is not valid; says which report's
    ├── TradedError              an invitation was traded for another token
    ├── RateLimitError           a survey takes no more reports in this minute; says when it will
    │   └── CheckLimitError      no more invitations of a survey are checked in this minute
    ├── BelowMinimumError        there are fewer reports than the survey promises as the least
    ├── NotKeptError             a survey has counts alone, or by now: none is there to be erased, recounted or read
    ├── NotErasedError           there is nothing to certify: it was not erased
    ├── CertificateError         a certificate is not what its signature says
    ├── UnknownReportError       no report of a survey has this receipt
    ├── TokenError               no token, or not one, begins like this; or it cannot be sent
    ├── RequestError             a request is refused; carries the problem document
    ├── ListenError              the address cannot be listened on
    ├── GatewayError             a gateway has no keys, or none can be made
    ├── QueueError               a queue of reports cannot be used now, or its URL is none
    ├── ArchiveError             an archive cannot be written, or is not what was exported
    ├── WorkerError              a worker process did not begin to serve
    └── RemoteError              a collector could not be reached, or refused
"""

from sotto_protocol import Problem, SottoError, SurveyError


class CollectorError(SottoError):
    """The base of every error that the collector raises on purpose."""


class SettingError(CollectorError):
    """A setting is outside its domain."""


class StoreError(CollectorError):
    """The database file cannot be used."""


class StoreUnavailableError(StoreError):
    """The database failed: nothing was stored, unless only the confirmation of the commit was lost."""


class JournalError(StoreError):
    """A journal is damaged, of another store, cannot be used, or is missing."""


class BusyError(CollectorError):
    """Too many reports are waiting."""


class SurveyExistsError(CollectorError):
    """Another survey has this id, or the same is no draft any more."""


class SurveyClosedError(CollectorError):
    """The survey takes no more reports."""


class SurveyOpenError(CollectorError):
    """The survey must be closed first."""


class InvitationError(CollectorError):
    """The invitation of report `index` of a batch is unknown, used up or revoked."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class TradedError(CollectorError):
    """An invitation was traded for the signature of another blinded message."""


class RateLimitError(CollectorError):
    """A survey takes no more reports now; in `retry_after_s` seconds it will."""

    def __init__(self, retry_after_s: int) -> None:
        super().__init__(retry_after_s)
        self.retry_after_s = retry_after_s


class CheckLimitError(RateLimitError):
    """No more invitations of a survey are checked now; in `retry_after_s` seconds they are."""


class BelowMinimumError(CollectorError):
    """There are fewer reports than the survey promises as the least."""


class NotKeptError(CollectorError):
    """A survey has counts alone, or by now: there is no report to be erased, recounted or read."""


class NotErasedError(CollectorError):
    """There is nothing to certify: it was not erased."""


class CertificateError(CollectorError):
    """A certificate was not signed with the key that is expected, or was changed since."""


class UnknownReportError(CollectorError):
    """No report of a survey has this receipt."""


class TokenError(CollectorError):
    """A hash prefix does not name exactly one token, or no header can carry a token."""


class ListenError(CollectorError):
    """The address cannot be listened on."""


class GatewayError(CollectorError):
    """A gateway's keys cannot be made."""


class QueueError(CollectorError):
    """A queue of reports cannot be reached, refuses, or is not named as it must be."""


class ArchiveError(CollectorError):
    """An archive cannot be written, or a file of it is missing or not what was exported."""


class WorkerError(CollectorError):
    """A worker process did not begin to serve."""


class RemoteError(CollectorError):
    """A collector could not be reached, or refused: with the problem `code`, "" where it said none."""

    def __init__(self, message: str, code: str = "") -> None:
        super().__init__(message)
        self.code = code


class RequestError(CollectorError):
    """A request is refused with `problem`."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def refuse(status: int, code: str, detail: str, where: str = "") -> RequestError:
    """Return the error that refuses a request. `detail` must not hold anything that was submitted."""
    return RequestError(Problem(status, code, detail, where))


def refuse_survey(fault: SurveyError) -> RequestError:
    """Return the error that refuses a survey, with all that is wrong with it."""
    faults = tuple((each.where, each.problem) for each in fault.faults) if len(fault.faults) > 1 else ()
    return RequestError(Problem(422, "bad_survey", fault.problem, fault.where, faults))
