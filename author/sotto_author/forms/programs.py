"""Whose form a file is: told by what it begins with, and by the ending of its name only where that is not enough."""

from pathlib import PurePath

from sotto_author.errors import FormError
from sotto_author.forms import qualtrics, redcap
from sotto_author.forms.asking import ImportedForm, Terms
from sotto_author.forms.items import ItemForm, import_items
from sotto_author.forms.limesurvey.lss import read_lss
from sotto_author.forms.limesurvey.questions import read_structure
from sotto_author.forms.limesurvey.tsv import is_tsv, read_tsv
from sotto_author.forms.surveyjs import Imported, import_form
from sotto_author.forms.table import columns_of, read_text
from sotto_protocol import SurveyError
from sotto_protocol.documents import load_json

MAX_BYTES = 2**23
_MARK = b"\xef\xbb\xbf"
_WORKBOOKS = (b"PK\x03\x04", b"PK\x05\x06", b"\xd0\xcf\x11\xe0")
"""What .xlsx and .xls begin with."""
_WORKBOOK_NAMES = (".xlsx", ".xlsm", ".xls")
_JSON_NAMES = (".json", ".qsf")
_READ = (
    "SurveyJS (.json), XLSForm (.xlsx), REDCap's data dictionary (.csv), Qualtrics (.qsf), LimeSurvey (.lss, "
    "or .txt with tabs)"
)


def import_file(content: bytes, name: str, survey_id: str, terms: Terms) -> Imported | ImportedForm:
    """Return the form in a file of any program as a survey. Raises FormError, or SurveyError."""
    if len(content) > MAX_BYTES:
        raise FormError(f"is larger than {MAX_BYTES:,} bytes.")
    ending = PurePath(name).suffix.lower()
    if content.startswith(_WORKBOOKS) or ending in _WORKBOOK_NAMES:
        from sotto_author.forms.xlsform.form import read_form
        from sotto_author.forms.xlsform.importing import import_xlsform

        return import_xlsform(read_form(content, skip_unsupported=terms.skip_unsupported), survey_id, terms)
    if ending in _JSON_NAMES or content.removeprefix(_MARK).lstrip()[:1] in (b"{", b"["):
        document = load_json(content, SurveyError)
        if qualtrics.is_qsf(document):
            return import_items(qualtrics.read_qsf(document), survey_id, terms)
        return import_form(document, survey_id, terms)
    return import_items(_read(content), survey_id, terms)


def _read(content: bytes) -> ItemForm:
    if content.removeprefix(_MARK).lstrip().startswith(b"<"):
        return read_structure(read_lss(content))
    text = read_text(content)
    columns = columns_of(text)
    if redcap.is_dictionary(columns):
        return redcap.read_dictionary(text)
    if is_tsv(columns):
        return read_structure(read_tsv(text))
    raise FormError(f"is no form that can be read: {_READ}.")
