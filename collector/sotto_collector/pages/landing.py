"""The page at /: what this is, for whoever comes by. Strangers learn nothing of the surveys, not even how many."""

from flask import Blueprint, Response, render_template, request

from sotto_collector.api.request import get_collector
from sotto_collector.pages.headers import PAGE_TYPE

landing_page = Blueprint("landing_page", __name__)


@landing_page.get("/", strict_slashes=False)  # else an empty path is redirected, with the host
def show_landing() -> Response:
    """Say what this collector is, where those who run surveys sign in, and whom to ask."""
    settings = get_collector().settings
    page = render_template(
        "landing.html", root="./", title=settings.title, contact=settings.contact, link=contact_link(settings.contact)
    )
    response = Response(page, content_type=PAGE_TYPE)
    response.vary.add("Accept-Language")
    response.add_etag()
    response.make_conditional(request)
    return response


def contact_link(contact: str) -> str:
    """Return where a contact leads: a web address to itself, a mail address to a mail; other words lead nowhere.

    >>> contact_link("https://clinic.example/ask"), contact_link("ann@clinic.example"), contact_link("room 7 @ noon")
    ('https://clinic.example/ask', 'mailto:ann@clinic.example', '')
    """
    if contact.startswith(("https://", "http://")):
        return contact
    name, _, host = contact.partition("@")
    return f"mailto:{contact}" if name and "." in host and not {*" ?&:/"} & {*contact} else ""
