"""What people read of invitations and delivery, in every text and language, is true of the survey at hand."""

from pathlib import Path

import pytest

from house import open_house
from reading_html import read_html
from sotto_protocol import compile_survey
from sotto_protocol.blind import key_text
from sotto_protocol.datasheet.letter import make_letter
from sotto_protocol.datasheet.letter_render import to_markdown as letter_to_markdown
from sotto_protocol.datasheet.render import to_markdown
from sotto_protocol.datasheet.sheet import make_datasheet
from sotto_protocol.explain import explain
from sotto_protocol.language import LANGUAGES, Language

IN_EVERY = dict.fromkeys(LANGUAGES, "0")
SURVEY = {
    "id": "s",
    "title": IN_EVERY,
    "invited": True,
    "questions": [{"id": "a", "type": "yes-no", "text": IN_EVERY, "epsilon": 1}],
}
BLIND = {"invitations": "blind", "token_keys": [key_text(2**2047 + 1)]}
WAYS = {"delivery": "oblivious", "relay": "https://relay.example", "gateway_key": "ab" * 32}


def told_of(invitations: str, delivery: str) -> tuple[dict[str, bool], dict[str, bool], dict[str, bool]]:
    """Return which sentences are true: to respondents, which the letter quotes, of the letter and of the datasheet.

    Whether a relay mixes is nowhere in a survey: of an oblivious one both are said.
    """
    is_blind, is_oblivious = invitations == "blind", delivery == "oblivious"
    to_respondents = {
        "Only invited people take part. Your device sends your invitation beside the report.": not is_blind,
        "Nobody can check that from outside. The people who run the collector could write down both as they arrive. "
        "Then anyone who knows who got your invitation would know which report is yours.": not is_blind,
        "Only invited people take part. Your device trades your invitation for a token, and later sends the token with "
        "your report.": is_blind,
        "Nobody can tell from the token whose invitation it was.": is_blind,
        "But your device makes both requests itself. The people who run the collector could write down from which "
        "address and when the two arrive. Then anyone who knows who got your invitation could find your report.": (
            is_blind and not is_oblivious
        ),
        "With both requests, the collector sees only the relay's address. But if few people take part at that time, it "
        "may guess from the two times which report is yours.": is_blind and is_oblivious,
    }
    of_letter = {
        "Each report: the answers after random changes, a random number and the invitation.": not is_blind,
        "First, that an invitation is traded for a token. Later each report: the answers after random changes, a "
        "random number and a token. The token does not tell whose invitation it was.": is_blind,
        "The people who run the collector, by noting invitations or addresses when reports arrive.": (
            not is_blind and not is_oblivious
        ),
        "The people who run the collector, by noting invitations when reports arrive.": not is_blind and is_oblivious,
        "The people who run the collector, by noting addresses or times when invitations are traded and when reports "
        "arrive.": is_blind and not is_oblivious,
        "The people who run the collector and those who run the relay, both together. Or the people who run the "
        "collector alone, by guessing from the times, if few people take part.": is_blind and is_oblivious,
        "An invitation is sent with each report. Somebody may have a list of the people and their invitations.": (
            not is_blind
        ),
        "An invitation is traded for a token before each report. Somebody may have a list of the people and their "
        "invitations. That list and what is stored show who traded an invitation, not which report is whose.": is_blind,
        "This is true as long as the device runs the published program. It is then true whatever else somebody knows, "
        "even if the people who run the survey are dishonest.": True,
    }
    of_datasheet = {
        "travels beside the noisy report": not is_blind,
        "the operator could know whose report is which": not is_blind,
        "trades the invitation for a token": is_blind,
        "An operator who notes their addresses or times can link them.": is_blind and not is_oblivious,
        "The collector sees only the relay's address.": is_blind and is_oblivious,
        "A random delay, or a relay that mixes, makes that harder.": is_oblivious,
        "With fewer than 20 people in a group, tokens hide little.": is_blind,
        "The operator could sign tokens for invented people.": is_blind,
    }
    return to_respondents, of_letter, of_datasheet


def short_of(invitations: str) -> dict[str, bool]:
    """Return by message whether it answers what a device sends."""
    return {
        "It sends the answers after these changes, a random number and your invitation. Some answers may be "
        "unchanged.": invitations == "plain",
        "First it trades your invitation for a token. Later it sends the answers after these changes, and the token. "
        "Nobody can tell from the token whose invitation it was. Some answers may be unchanged.": invitations
        == "blind",
    }


def stands(messages: dict[str, bool], text: str, speech: Language) -> dict[str, bool]:
    """Return by message whether a text has it in a language, however the text is broken into lines."""
    words = "".join(text.replace("\\", "").split())
    return {message: "".join(speech.gettext(message).split()) in words for message in messages}


@pytest.mark.parametrize("delivery", ["direct", "oblivious"])
@pytest.mark.parametrize("invitations", ["plain", "blind"])
def test_every_text_says_what_is_true_of_each_way_of_admission_and_delivery(
    invitations: str, delivery: str, tmp_path: Path
) -> None:
    settings = (BLIND if invitations == "blind" else {}) | (WAYS if delivery == "oblivious" else {})
    survey = compile_survey(SURVEY | settings)
    to_respondents, of_letter, of_datasheet = told_of(invitations, delivery)
    explained = to_respondents | short_of(invitations)
    sheet = " ".join(to_markdown(make_datasheet(survey)).replace("\\", "").split())
    assert {text: text in sheet for text in of_datasheet} == of_datasheet
    with open_house(tmp_path / "house.db", survey) as house:
        for tag, speech in LANGUAGES.items():
            page = read_html(house.http.get(f"/s/{survey.id}?lang={tag}").text).one("main").text
            for text in (str(explain(survey, speech)), page):
                assert stands(explained, text, speech) == explained
            letter = letter_to_markdown(make_letter(survey, speech))
            assert stands(to_respondents | of_letter, letter, speech) == to_respondents | of_letter
