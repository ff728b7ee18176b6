"""Forms of ODK and KoboToolbox, which are workbooks: by pyxform."""

from sotto_protocol.extras import require_extra

require_extra(__name__)
