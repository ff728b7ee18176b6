"""Several `<sotto-survey>`s on one page: an invitation goes to the survey that is meant, and to no other."""

import json

import pytest
from playwright.sync_api import Page, expect

from asked import DIARY, invite, named, publish
from collecting import Served
from component_site import element
from component_visit import Ask
from sotto_protocol import Survey
from wire import Wire

NEXT = """([collector, survey, fingerprint]) => {
  const next = document.createElement("sotto-survey");
  for (const [name, value] of Object.entries({ collector, survey, fingerprint })) next.setAttribute(name, value);
  document.querySelector("sotto-survey").replaceWith(next);
}"""


def invited(collector: Served, survey_id: str) -> Survey:
    return publish(collector, named(survey_id, DIARY, invited=True, waves=1))


def checked_on(wire: Wire) -> list[tuple[str, str]]:
    """Return who was asked of which invitation: the survey's id, and the invitation."""
    posts = [post for post in wire.posts() if post.target.endswith("/invitations/check")]
    return [(post.target.split("/")[3], json.loads(post.body)["invitation"]) for post in posts]


def expect_prompts(page: Page, n: int) -> None:
    expect(page.get_by_label("Your invitation")).to_have_count(n)


def test_with_several_none_takes_the_invitation_in_the_address(ask: Ask, collector: Served, wire: Wire) -> None:
    first, second = (invited(collector, f"together-{n}") for n in (1, 2))
    page = ask(first, second, anchor=f"#{invite(collector, second)[0]}")
    expect_prompts(page, 2)
    assert checked_on(wire) == []


def test_the_one_that_says_so_takes_it(ask: Ask, collector: Served, wire: Wire) -> None:
    first, second = (invited(collector, f"meant-{n}") for n in (1, 2))
    (invitation,) = invite(collector, second)
    body = element(wire.url, first) + element(wire.url, second, invitation="#")
    page = ask(first, second, body=body, anchor=f"#{invitation}")
    expect(page.get_by_text("Are you well?")).to_have_count(1)
    expect_prompts(page, 1)
    assert checked_on(wire) == [(second.id, invitation)]
    assert invitation not in page.url
    page.reload()
    expect(page.get_by_text("Are you well?")).to_have_count(1)
    assert checked_on(wire) == [(second.id, invitation)] * 2


@pytest.mark.rare
def test_what_the_tab_keeps_of_one_survey_is_no_other_ones(ask: Ask, collector: Served, wire: Wire) -> None:
    """A page that shows one after another, in one entry of the tab's history."""
    first, second = (invited(collector, f"after-{n}") for n in (1, 2))
    (invitation,) = invite(collector, first)
    page = ask(first, second, body=element(wire.url, first), anchor=f"#{invitation}")
    expect(page.get_by_text("Are you well?")).to_be_visible()
    page.evaluate(NEXT, [wire.url, second.id, second.fingerprint])
    expect_prompts(page, 1)
    assert checked_on(wire) == [(first.id, invitation)]
