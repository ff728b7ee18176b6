"""The routes of certificates of erasure (docs/retention.md)."""

from flask import Blueprint, Response

from sotto_collector.api.request import find_listed, find_survey, get_collector, read_receipt, respond
from sotto_collector.certificate import certify_report, certify_reports

certificates = Blueprint("certificates", __name__)


@certificates.get("/v1/surveys/<survey_id>/certificate")
def get_certificate(survey_id: str) -> Response:
    """Certify that a survey's reports went on their day, to its admins and analysts."""
    return respond(certify_reports(get_collector().store, find_listed(survey_id)))


@certificates.post("/v1/surveys/<survey_id>/certificate")
def get_certificate_of_report(survey_id: str) -> Response:
    """Certify that one report was erased, to anyone with its receipt."""
    stored = find_survey(survey_id)
    return respond(certify_report(get_collector().store, stored, read_receipt()))
