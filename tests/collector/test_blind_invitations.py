"""Blind invitations at the collector: one token each, one report a token, and nothing that joins the two."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from werkzeug.test import TestResponse

from blind import BLIND, BLIND_STRATA, BLIND_WAVES, RFC_KEY, Wish, publish_blind, with_keys
from collecting import INVITED, SMALL, check_store
from house import JSON, House, assert_refused, open_house
from sotto_client.cli import main
from sotto_collector.errors import CollectorError, TradedError
from sotto_collector.invitations import make_invitations, revoke_invitations, trade_invitation
from sotto_collector.store import Store
from sotto_collector.store.copy import copy_store
from sotto_collector.store.journaling import keep_journal
from sotto_collector.store.transaction import IssuedRow
from sotto_collector.token_keys import TokenKey, find_keys, key_of
from sotto_protocol import Survey
from sotto_protocol.blind import key_text, to_base64url

pytestmark = pytest.mark.later("postgres", "thorough")  # the storm writes both alike


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with open_house(tmp_path / "survey.db", SMALL) as opened:
        yield opened


def ask(house: House, survey: Survey, path: str, sent: dict[str, object]) -> TestResponse:
    return house.http.post(f"/v1/surveys/{survey.id}/{path}", json=sent)


def trade(house: House, wish: Wish, code: str) -> TestResponse:
    return ask(house, wish.survey, "invitations/token", wish.sent(code))


def send(house: House, survey: Survey, body: bytes) -> TestResponse:
    return house.http.post(f"/v1/surveys/{survey.id}/reports", data=body, content_type=JSON)


def signature_of(response: TestResponse) -> str:
    assert response.status_code == 200, response.text
    return str(response.get_json()["signature"])


def test_an_invitation_gives_one_token_and_a_token_one_report(house: House) -> None:
    stored = publish_blind(house.collector.store)
    code, _ = make_invitations(house.collector.store, stored, 2)
    state = {"invitation": code}
    assert ask(house, BLIND, "invitations/check", state).get_json() == {"state": "unused", "stratum": 1}
    wish = Wish.of(stored.survey)
    first = trade(house, wish, code)
    assert first.headers["Cache-Control"] == "no-store"
    assert trade(house, wish, code).get_json() == first.get_json()  # the first reply was lost
    assert_refused(trade(house, Wish.of(stored.survey), code), 409, "invitation_used")
    assert ask(house, BLIND, "invitations/check", state).get_json() == {"state": "used", "stratum": 1}
    body = wish.body(signature_of(first))
    assert send(house, BLIND, body).get_json() == {"counted": 1, "duplicates": 0, "conflicting": 0}
    assert send(house, BLIND, body).get_json() == {"counted": 0, "duplicates": 1, "conflicting": 0}
    answers = (wish.body(signature_of(first)) for _ in range(100))
    other = next(another for another in answers if another != body)  # spent twice, with other answers
    assert send(house, BLIND, other).get_json() == {"counted": 0, "duplicates": 1, "conflicting": 1}
    counted = house.administer("GET", f"/v1/surveys/{BLIND.id}/turnout").get_json()
    assert counted == {"waves": [{"wave": 1, "invited": 2, "tokens": 1, "n_reports": 1}]}
    check_store(house.collector.settings.db)


def test_nothing_at_rest_joins_a_report_to_its_invitation(house: House, tmp_path: Path) -> None:
    """The database has the blinded message's hash and the blind signature; neither is in a report, nor leads to it."""
    stored = publish_blind(house.collector.store)
    (code,) = make_invitations(house.collector.store, stored, 1)
    wish = Wish.of(stored.survey)
    blind_signature = signature_of(trade(house, wish, code))
    token = wish.token(blind_signature)
    assert send(house, BLIND, wish.body(blind_signature)).status_code == 200
    house.collector.store.clean()
    files = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert wish.blinded not in files
    assert token[:32] not in files
    assert token[32:] not in files
    assert wish.message not in files


def test_a_stratum_is_that_of_the_key(house: House) -> None:
    stored = publish_blind(house.collector.store, BLIND_STRATA)
    (code,) = make_invitations(house.collector.store, stored, 1, stratum=2)
    assert ask(house, BLIND_STRATA, "invitations/check", {"invitation": code}).get_json()["stratum"] == 2
    wish = Wish.of(stored.survey, stratum=2)
    response = trade(house, wish, code)
    assert response.get_json()["stratum"] == 2
    body = wish.body(signature_of(response))
    elsewhere = body.replace(b'"stratum":2', b'"stratum":1')
    assert_refused(send(house, BLIND_STRATA, elsewhere), 403, "token_invalid")
    nowhere = body.replace(b'"stratum":2', b'"stratum":3')
    assert_refused(send(house, BLIND_STRATA, nowhere), 422, "bad_report")
    unsaid = body.replace(b'"stratum":2,', b"")
    assert_refused(send(house, BLIND_STRATA, unsaid), 422, "bad_report")
    assert send(house, BLIND_STRATA, body).get_json()["counted"] == 1
    tallied = {name: house.read_tally(BLIND_STRATA, f"?stratum={name}").get_json() for name in BLIND_STRATA.strata}
    assert {name: tally["n_reports"] for name, tally in tallied.items()} == {"north": 0, "south": 1}
    (turnout,) = house.administer("GET", f"/v1/surveys/{BLIND_STRATA.id}/turnout?stratum=north").get_json()["waves"]
    assert turnout == {"wave": 1, "invited": 0, "tokens": 0, "n_reports": 0}
    check_store(house.collector.settings.db)


def test_a_token_is_good_for_its_survey_and_wave_alone(house: House) -> None:
    store = house.collector.store
    stored = publish_blind(store, BLIND_WAVES)
    (code,) = make_invitations(store, stored, 1)
    wish = Wish.of(stored.survey, wave=2)
    body = wish.body(signature_of(trade(house, wish, code)))
    assert_refused(send(house, BLIND_WAVES, body.replace(b'"wave":2', b'"wave":1')), 422, "bad_report")  # its id
    with_id = replace(wish, wave=1)
    signed = wish.token(trade(house, wish, code).get_json()["signature"])
    moved = body.replace(b'"wave":2', b'"wave":1').replace(
        body.split(b'"id":"')[1][:32], with_id.message.hex().encode()[:0] + _id_of(with_id)
    )
    assert_refused(send(house, BLIND_WAVES, moved), 403, "token_invalid")
    assert_refused(send(house, BLIND_WAVES, body.replace(to_base64url(signed).encode(), b"x")), 422, "bad_report")
    no_token = body.replace(b'"token":"' + to_base64url(signed).encode() + b'"', b'"token":""')
    assert_refused(send(house, BLIND_WAVES, no_token), 403, "invitation_required")
    with_code = body.replace(
        b'"token":"' + to_base64url(signed).encode() + b'"', b'"invitation":"' + code.encode() + b'"'
    )
    assert_refused(send(house, BLIND_WAVES, with_code), 422, "bad_report")
    assert send(house, BLIND_WAVES, body).get_json()["counted"] == 1
    assert signature_of(trade(house, Wish.of(stored.survey, wave=1), code))  # a token a wave
    check_store(house.collector.settings.db)


def _id_of(wish: Wish) -> bytes:
    from sotto_protocol.blind import report_id_of

    return report_id_of(wish.message).hex().encode()


def test_an_invitation_gives_as_many_tokens_as_a_device_is_asked_in(store: Store) -> None:
    stored = publish_blind(store, replace(BLIND, waves=3, asked_in=2))
    (code,) = make_invitations(store, stored, 1)
    wishes = [Wish.of(stored.survey, wave) for wave in (1, 2, 3)]
    given = [trade_invitation(store, stored, code, wish.wave, wish.blinded) for wish in wishes]
    assert [issued is not None for issued in given] == [True, True, False]


def test_what_is_no_wish_is_refused(house: House) -> None:
    store = house.collector.store
    stored = publish_blind(store)
    (code,) = make_invitations(store, stored, 1)
    wish = Wish.of(stored.survey)
    assert_refused(trade(house, wish, "a" * 26), 403, "invitation_invalid")
    assert_refused(trade(house, wish, "no invitation"), 403, "invitation_invalid")
    assert_refused(ask(house, BLIND, "invitations/token", wish.sent(code) | {"wave": 2}), 404, "no_such_wave")
    for blinded in ("", "AA", "A" * 342, to_base64url(bytes(256)), "=" * 342):
        bad = {"invitation": code, "blinded": blinded}
        assert_refused(ask(house, BLIND, "invitations/token", bad), 422, "bad_blinded")
    plain = {"invitation": code, "blinded": to_base64url(wish.blinded)}
    store.add_survey(INVITED)
    assert_refused(ask(house, INVITED, "invitations/token", plain), 409, "survey_not_blind")
    assert_refused(ask(house, SMALL, "invitations/token", plain), 409, "survey_not_invited")
    above = plain | {"blinded": to_base64url(b"\xff" * 256)}
    assert_refused(ask(house, BLIND, "invitations/token", above), 422, "bad_blinded")
    assert signature_of(trade(house, wish, code))
    store.close_survey(stored.key)
    house.collector.forget_survey(BLIND.id)
    assert_refused(trade(house, wish, code), 409, "survey_closed")


def test_an_invitation_is_revoked_until_its_token_was_issued(store: Store) -> None:
    stored = publish_blind(store)
    spent, other = make_invitations(store, stored, 2)
    wish = Wish.of(stored.survey)
    assert trade_invitation(store, stored, spent, 1, wish.blinded) is not None
    assert revoke_invitations(store, stored, [spent, other]) == 1
    assert trade_invitation(store, stored, other, 1, wish.blinded) is None
    assert trade_invitation(store, stored, spent, 1, wish.blinded) is not None  # the device has it, or may have it


def test_a_storm_of_wishes_for_one_invitation_gives_one_token(store: Store) -> None:
    stored = publish_blind(store)
    codes = make_invitations(store, stored, 4)
    wishes = {code: [Wish.of(stored.survey) for _ in range(3)] for code in codes}

    def try_one(code: str, wish: Wish) -> tuple[str, IssuedRow | None]:
        try:
            return code, trade_invitation(store, stored, code, 1, wish.blinded)
        except TradedError:
            return code, None

    with ThreadPoolExecutor(8) as pool:
        tries = [pool.submit(try_one, code, wish) for code in codes for wish in wishes[code] * 2]
        given = [tried.result(60) for tried in tries]
    for code in codes:
        rows = {issued for of, issued in given if of == code and issued is not None}
        assert len(rows) == 1  # each time it was asked for with the message that came first
    assert len([issued for _, issued in given if issued is not None]) == 8


def test_keys_are_made_once_and_only_an_admin_has_them_made(house: House) -> None:
    path = f"/v1/surveys/{BLIND_WAVES.id}/token-keys"
    assert house.http.post(path, json={"count": 3}).status_code == 401
    assert house.http.post(path, json={"count": 3}, headers=house.analyst).status_code == 403
    first = house.administer("POST", path, {"count": 2}).get_json()["token_keys"]
    again = house.administer("POST", path, {"count": 3}).get_json()["token_keys"]
    assert again[:2] == first
    assert len({*again}) == 3
    for count in (0, 65):
        assert_refused(house.administer("POST", path, {"count": count}), 422, "bad_count")
    primes = [key.primes[:128] for key in find_keys(house.collector.store, BLIND_WAVES.id).values()]
    shown = house.administer("POST", path, {"count": 3}).data
    assert all(prime not in shown and prime.hex().encode() not in shown for prime in primes)


def test_a_survey_is_published_with_the_keys_of_this_collector_alone(house: House) -> None:
    store = house.collector.store

    def publish(survey: Survey) -> TestResponse:
        return house.http.post("/v1/surveys", data=survey.canonical, content_type=JSON, headers=house.admin)

    assert_refused(publish(BLIND), 422, "bad_survey")
    stranger = replace(BLIND, token_keys=(key_text(RFC_KEY.modulus),))
    assert_refused(publish(stranger), 422, "bad_survey")
    keyed = with_keys(store, BLIND_STRATA)
    assert_refused(publish(replace(keyed, token_keys=keyed.token_keys[::-1])), 422, "bad_survey")
    assert publish(keyed).status_code == 201
    assert publish(keyed).status_code == 200
    stored = house.stored(keyed)
    store.close_survey(stored.key)
    store.erase_survey(stored.key)
    assert find_keys(store, BLIND_STRATA.id) == {}


def test_a_signature_that_went_wrong_is_given_to_nobody(store: Store) -> None:
    """From one, with a faulty half, somebody could compute the key (Boneh, DeMillo and Lipton 1997)."""
    key = TokenKey(RFC_KEY.primes)
    of_p, of_q, inverse = key._parts
    key.__dict__["_parts"] = of_p + 2, of_q, inverse
    with pytest.raises(CollectorError, match="went wrong"):
        key.sign(12345)
    assert RFC_KEY.sign(12345) == pow(12345, pow(65537, -1, _order()), RFC_KEY.modulus)
    stored = publish_blind(store)
    other = replace(stored.survey, token_keys=(key_text(RFC_KEY.modulus + 2),))
    with pytest.raises(CollectorError, match="lacks the private key of wave 1 of blind"):
        key_of(store, other, 1)


def _order() -> int:
    p, q = (int.from_bytes(RFC_KEY.primes[start : start + 128]) for start in (0, 128))
    return (p - 1) * (q - 1)


def test_anybody_checks_the_counts_of_a_closed_survey(house: House) -> None:
    stored = publish_blind(house.collector.store)
    make_invitations(house.collector.store, stored, 3)
    path = f"/v1/surveys/{BLIND.id}/turnout"
    assert house.http.get(path).status_code == 401
    house.collector.store.close_survey(stored.key)
    house.collector.forget_survey(BLIND.id)
    assert house.http.get(path).get_json() == {"waves": [{"wave": 1, "invited": 3, "tokens": 0, "n_reports": 0}]}


def test_counts_alone_are_kept_of_blind_reports_too(house: House) -> None:
    survey = replace(BLIND, keep="counts")
    stored = publish_blind(house.collector.store, survey)
    (code,) = make_invitations(house.collector.store, stored, 1)
    wish = Wish.of(stored.survey)
    body = wish.body(signature_of(trade(house, wish, code)))
    assert [send(house, survey, body).get_json()["counted"] for _ in range(2)] == [1, 0]


def test_a_restored_store_signs_no_second_message_and_loses_no_token(store: Store, tmp_path: Path) -> None:
    """With its journal. Without one the invitation is open again, and a second token could be had for it."""
    journal, backup = tmp_path / "acts", tmp_path / "backup.db"
    keep_journal(store, str(journal))
    stored = publish_blind(store)
    codes = make_invitations(store, stored, 2)
    copy_store(store, str(backup))
    late = make_invitations(store, stored, 1)
    wish, of_late = Wish.of(stored.survey), Wish.of(stored.survey)
    first = trade_invitation(store, stored, codes[0], 1, wish.blinded)
    assert trade_invitation(store, stored, late[0], 1, of_late.blinded) is not None
    words = ["db", "restore", "--from", backup, "--db", tmp_path / "new.db", "--journal", journal, "--yes"]
    result = CliRunner().invoke(main, [*map(str, words)])
    assert result.exit_code == 0, result.output
    with closing(Store(tmp_path / "new.db")) as again:
        keep_journal(again, str(journal))
        now = again.find_survey(BLIND.id)
        assert now is not None
        with pytest.raises(TradedError):
            trade_invitation(again, now, codes[0], 1, Wish.of(stored.survey).blinded)
        for _ in range(2):  # made again, then kept
            assert trade_invitation(again, now, codes[0], 1, wish.blinded) == first
        assert trade_invitation(again, now, late[0], 1, of_late.blinded) is not None
        assert trade_invitation(again, now, codes[1], 1, Wish.of(stored.survey).blinded) is not None
