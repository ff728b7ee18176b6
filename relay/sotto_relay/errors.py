"""The relay's own errors."""

from sotto_protocol.errors import SottoError


class SettingError(SottoError, ValueError):
    """A setting is outside its domain."""


class GatewayError(SottoError):
    """The gateway cannot be reached, or answers what no gateway answers."""


class FullError(SottoError):
    """So much waits already that nothing more is taken."""


class LateError(SottoError):
    """A request could not be passed on before its device stops waiting."""
