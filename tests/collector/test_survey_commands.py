"""`sotto invite`, `erase`, `configure` against a collector that is served: files, words, exit codes, no secret said."""

import csv
import re
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from collecting import INVITED, INVITED_WAVES, SMALL, SURVEY, Served, make_reports, serve
from fault_server import Scripted, fault_server
from sotto_client.cli import main
from sotto_protocol import Survey, compile_toml
from sotto_protocol.minimum import say_needs

HABITS = "/v1/surveys/habits"
FEW = """
id = "few"
title = "Few"
invited = true
min_reports = 10
[[questions]]
id = "harassed"
type = "yes-no"
text = "Were you harassed?"
epsilon = 1
[[questions]]
id = "wish"
type = "text"
mechanism = "rappor"
text = "What should change?"
n_cohorts = 4
epsilon = 1
"""


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serve(tmp_path_factory.mktemp("served") / "survey.db") as started:
        for survey in (INVITED, INVITED_WAVES, SMALL):
            publish(started, survey)
        yield started


def publish(served: Served, survey: Survey) -> None:
    assert served.ask("POST", "/v1/surveys", survey.canonical, served.admin)[0] in (200, 201)


def run(served: Served, *arguments: object, token: str | None = None, stdin: str = "") -> tuple[int, str, str]:
    """Run a command with the admin's token in the environment; URL stands for the collector's."""
    env = {"SOTTO_TOKEN": served.admin if token is None else token}
    words = [served.url if word == "URL" else str(word) for word in arguments]
    result = CliRunner().invoke(main, words, env=env, input=stdin)
    assert served.admin not in result.output
    return result.exit_code, result.stdout, result.stderr


def read_codes(path: Path) -> list[str]:
    with path.open(newline="") as file:
        return [row["invitation"] for row in csv.DictReader(file)]


def test_invitations_are_made_into_a_private_file_counted_and_revoked(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    code, out, err = run(served, "invite", "create", "URL", INVITED.id, "--count", 40, "--to", path, "--yes")
    assert (code, out) == (0, f"40 invitations in {path}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    codes = read_codes(path)
    assert len(set(codes)) == 40
    assert not any(text in out + err for text in codes)
    assert run(served, "invite", "count", "URL", INVITED.id) == (0, "40 unused\n", "")
    report = replace(make_reports(1, INVITED)[0], invitation=codes[0])
    assert served.send([report], INVITED)[0] == 200
    (tmp_path / "some.csv").write_text("name,invitation\n" + "".join(f"x,{text.upper()}\n" for text in codes[:5]))
    assert run(served, "invite", "revoke", "URL", INVITED.id, "--from", tmp_path / "some.csv") == (0, "4 revoked\n", "")
    assert run(served, "invite", "revoke", "URL", INVITED.id, "--all") == (0, "35 revoked\n", "")
    assert run(served, "invite", "count", "URL", INVITED.id) == (0, "0 unused\n", "")


def test_many_invitations_are_made_in_several_requests(
    served: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sotto_author.invite.MAX_INVITATIONS", 30)
    assert (
        run(served, "invite", "create", "URL", INVITED_WAVES.id, "--count", 70, "--yes", "--to", tmp_path / "c.csv")[0]
        == 0
    )
    assert len(set(read_codes(tmp_path / "c.csv"))) == 70
    said = "wave 1  70 unused\nwave 2  70 unused\nwave 3  70 unused\n"
    assert run(served, "invite", "count", "URL", INVITED_WAVES.id) == (0, said, "")
    assert run(served, "invite", "revoke", "URL", INVITED_WAVES.id, "--all") == (0, "210 revoked\n", "")


def test_file_that_is_there_is_not_written_over(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    path.write_text("precious")
    code, out, err = run(served, "invite", "create", "URL", INVITED.id, "--count", 1, "--to", path, "--yes")
    assert (code, out, err) == (1, "", f"Error: CSV file ({path}) must be a new file: File exists.\n")
    assert path.read_text() == "precious"


def test_file_is_taken_away_where_no_invitation_came(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "codes.csv"
    code, _, err = run(served, "invite", "create", "URL", "habits", "--count", 1, "--to", path)
    assert (code, "409 survey_not_invited" in err) == (1, True)
    assert not path.exists()


def test_a_collector_of_before_is_named_and_no_file_is_left(tmp_path: Path) -> None:
    survey, path = compile_toml(FEW), tmp_path / "codes.csv"
    with fault_server(survey) as before:
        before.by_address["/v1/surveys/few/invitations"] = Scripted(200, b'{"unused":[3]}')
        command = ["invite", "create", before.url, survey.id, "--count", "9", "--to", str(path)]
        result = CliRunner().invoke(main, command, env={"SOTTO_TOKEN": "sotto_admin_x"})
        said = f"Error: {before.url} must be a collector of this version or later; it does not send n_reports.\n"
        assert (result.exit_code, result.stderr, path.exists(), before.posts) == (1, said, False, [])


def test_invitations_that_cannot_show_a_question_are_refused_where_nobody_is_asked(
    served: Served, tmp_path: Path
) -> None:
    survey = compile_toml(FEW)
    (tmp_path / "few.toml").write_text(FEW)
    needed = "".join(f"{line}\n" for line in say_needs(survey))
    assert run(served, "publish", tmp_path / "few.toml", "URL")[::2] == (0, needed)
    create = ("invite", "create", "URL", survey.id, "--count", 30, "--to")
    code, out, err = run(served, *create, tmp_path / "a.csv")
    assert (code, out, (tmp_path / "a.csv").exists()) == (1, "", False)
    assert "wish      can never be shown: it needs 40 reports (10 in each of its 4 cohorts), and there are 30 pe" in err
    said = "No invitations to few were created: 30 people are too few to show anything useful. "
    assert err.endswith(
        f"Error: {said}Give --yes to create them anyway, for example if you invite more people later.\n"
    )
    assert "Usage" not in err
    assert run(served, "invite", "count", "URL", survey.id)[1] == "0 unused\n"
    code, out, err = run(served, *create, tmp_path / "a.csv", "--yes")
    assert (code, out) == (0, f"30 invitations in {tmp_path / 'a.csv'}\n")
    assert "Warning: 30 people are too few ever to show wish." in err
    answers = zip(make_reports(20, survey), read_codes(tmp_path / "a.csv"), strict=False)
    assert served.send([replace(report, invitation=code) for report, code in answers], survey)[0] == 200
    _, _, err = run(served, *create, tmp_path / "b.csv", "--yes")  # 20 that were used, 10 that wait, and these
    assert err.startswith("What 60 people will show, if all of them answer; 95 % intervals by the Chernoff bound")
    assert "it may stay hidden with fewer than" in err


def test_invitations_to_waves_are_counted_once(served: Served, tmp_path: Path) -> None:
    survey = replace(compile_toml(FEW), id="few-waves", waves=2)
    publish(served, survey)
    create = ("invite", "create", "URL", survey.id, "--count", 30, "--to")
    run(served, *create, tmp_path / "a.csv", "--yes")
    answers = zip(make_reports(20, survey, wave=2), read_codes(tmp_path / "a.csv"), strict=False)
    assert served.send([replace(report, invitation=code) for report, code in answers], survey)[0] == 200
    assert "What 60 people will show of a wave," in run(served, *create, tmp_path / "b.csv", "--yes")[2]


@pytest.mark.parametrize("content", [b"code\nabc\n", b"", b"invitation\n\xff\n", b'invitation\n"c4n4ry'])
def test_file_without_invitations_revokes_none(served: Served, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "codes.csv"
    path.write_bytes(content)
    code, out, err = run(served, "invite", "revoke", "URL", INVITED.id, "--from", path)
    assert (code, out, err.count("\n")) == (1, "", 1)
    assert "c4n4ry" not in err


@pytest.mark.parametrize(
    "arguments",
    [
        ("invite", "revoke", "URL", "invited"),
        ("invite", "revoke", "URL", "invited", "--all", "--from", "x.csv"),
        ("invite", "create", "URL", "invited", "--count", 0, "--to", "x.csv"),
        ("erase", "URL", "habits"),
        ("erase", "URL", "habits", "--all", "--receipt", "0" * 32),
        ("configure", "URL", "habits"),
        ("configure", "URL", "habits", "--no-cors", "--cors-origin", "*"),
    ],
)
def test_command_that_makes_no_sense_is_exit_code_2(served: Served, arguments: tuple[object, ...]) -> None:
    assert run(served, *arguments)[0] == 2


def test_report_is_erased_by_its_receipt_without_a_token(served: Served) -> None:
    (report,) = make_reports(1)
    assert served.send([report])[0] == 200
    n_before = served.ask("GET", f"{HABITS}/tally", token=served.analyst)[2]["n_reports"]
    command = ("erase", "URL", "habits", "--receipt", f" {report.receipt.upper()} ")
    for _ in range(2):  # the second time too: the first answer may have been lost
        assert run(served, *command, token="") == (0, "habits  report erased\n", "")
        assert served.ask("GET", f"{HABITS}/tally", token=served.analyst)[2]["n_reports"] == n_before - 1
    code, out, err = run(served, "erase", "URL", "habits", "--receipt", "0" * 32, token="")
    assert (code, out, "404 no_such_report" in err) == (1, "", True)


@pytest.mark.parametrize("receipt", ["c4n4ry", "../../tokens", "0" * 31, "g" * 32])
def test_receipt_that_is_none_is_not_sent(served: Served, receipt: str) -> None:
    code, out, err = run(served, "erase", "URL", "habits", "--receipt", receipt)
    assert (code, out) == (1, "")
    assert err == "Error: --receipt must be 32 hexadecimal digits, as the device showed it.\n"


def test_survey_is_erased_once_it_is_closed(served: Served) -> None:
    publish(served, SMALL)
    code, _, err = run(served, "erase", "URL", "small", "--all", "--yes")
    assert (code, "409 survey_open" in err) == (1, True)
    assert run(served, "close", "URL", "small")[0] == 0
    for answer in ("", "n\n"):
        code, out, err = run(served, "erase", "URL", "small", "--all", stdin=answer)
        assert (code, "erased" in out) == (1, False)  # before 8.4 click's runner puts what is typed there
        assert f"Erase survey small at {served.url}, and all its reports? [y/N]:" in err
        assert served.ask("GET", "/v1/surveys/small")[0] == 200
    code, out, _ = run(served, "erase", "URL", "small", "--all", stdin="y\n")
    assert (code, out.endswith("small  erased\n")) == (0, True)
    publish(served, SMALL)
    assert run(served, "close", "URL", "small")[0] == 0
    assert run(served, "erase", "URL", "small", "--all", "--yes") == (0, "small  erased\n", "")
    assert served.ask("GET", "/v1/surveys/small")[0] == 404


def test_draft_is_published_again_and_again_until_it_is_final(served: Served, tmp_path: Path) -> None:
    path, addresses = tmp_path / "few.toml", set()
    for title in ("First", "Second"):
        path.write_text(FEW.replace('"few"', '"drafted"').replace('"Few"', f'"{title}"'))
        code, out, _ = run(served, "publish", path, "URL", "--draft")
        shown, address = out.splitlines()
        assert (code, shown) == (0, f"drafted  {compile_toml(path.read_text()).fingerprint}")
        addresses.add(address.removeprefix(served.url))
    (address,) = addresses
    assert address.startswith("/s/drafted?preview=")
    assert re.search(r"^drafted +invited draft +0 ", run(served, "status", "URL")[1], re.MULTILINE)
    assert served.fetch("GET", address)[0] == 200
    code, _, err = run(served, "invite", "create", "URL", "drafted", "--count", 3, "--to", tmp_path / "a.csv")
    assert (code, err) == (1, "Error: drafted is a draft: publish it first (sotto publish).\n")
    assert served.fetch("GET", "/s/drafted")[0] == served.ask("GET", "/v1/surveys/drafted")[0] == 404
    assert run(served, "publish", path, "URL")[1].splitlines()[1] == f"{served.url}/s/drafted"
    assert served.ask("GET", "/v1/surveys/drafted")[2]["title"] == "Second"
    for title, said in (("Second", "this survey is published already.\n"), ("Third", "another survey has this id;")):
        path.write_text(path.read_text().replace('"Second"', f'"{title}"'))
        code, _, err = run(served, "publish", path, "URL", "--draft")
        assert (code, f"(409 survey_exists): {said}" in err) == (1, True), err
    path.write_text(path.read_text().replace("drafted", "dropped"))
    assert run(served, "publish", path, "URL", "--draft")[0] == 0
    assert run(served, "erase", "URL", "dropped", "--all", "--yes") == (0, "dropped  erased\n", "")


def test_what_shows_nothing_useful_is_not_published_where_nobody_is_asked(served: Served, tmp_path: Path) -> None:
    path = tmp_path / "weak.toml"
    path.write_text(FEW.replace('"few"', '"weak"'))
    code, out, err = run(served, "publish", path, "URL", "--n", 30)
    said = "weak is not published: 30 people are too few to show anything useful. Mend it (sotto check)"
    assert (code, out) == (1, "")
    assert err.endswith(f"Error: {said}, or give --yes to publish it anyway.\n")
    assert "Usage" not in err
    assert served.ask("GET", "/v1/surveys/weak")[0] == 404


def test_what_takes_more_epsilon_than_a_device_gives_is_not_published_where_nobody_is_asked(
    served: Served, tmp_path: Path
) -> None:
    path = tmp_path / "much.toml"
    path.write_text(
        FEW.split('[[questions]]\nid = "wish"')[0].replace('"few"', '"much"').replace("epsilon = 1", "epsilon = 9")
    )
    code, out, err = run(served, "publish", path, "URL")
    assert (code, out) == (1, "")
    assert "answers it: its epsilon of 9 is above max_epsilon (8). Ask less" in err
    assert "Error: much is not published. Mend it" in err
    assert served.ask("GET", "/v1/surveys/much")[0] == 404
    assert run(served, "check", path)[2].startswith("Warning: by default no page and no client answers it: its epsilon")
    assert run(served, "publish", path, "URL", "--draft")[0] == run(served, "publish", path, "URL", "--yes")[0] == 0


def test_what_a_survey_will_show_is_said_once_it_is_published_and_beside_no_error(
    served: Served, tmp_path: Path
) -> None:
    path = tmp_path / "good.toml"
    path.write_text(FEW.split('[[questions]]\nid = "wish"')[0].replace('"few"', '"good"'))
    code, out, err = run(served, "publish", path, "URL", "--n", 9000, token="sotto_admin_x")  # noqa: S106
    assert (code, out, err.count("\n"), "401 unauthorized" in err) == (1, "", 1, True)
    code, _, err = run(served, "publish", path, "URL", "--n", 9000)
    assert (code, err.startswith("What 9,000 people will show")) == (0, True)


def test_password_in_a_collectors_url_is_in_no_message(served: Served) -> None:
    url = served.url.replace("//", "//alice:c4n4/ry@")
    for command in (("status", url), ("close", url, "nobody"), ("erase", url, "nobody", "--all")):
        _, out, err = run(served, *command)
        assert "c4n4" not in out + err
    code, out, err = run(served, "close", "http://alice:c4n4ry@127.0.0.1:1", "habits")
    assert (code, "must be an address without user, password, query or fragment" in err) == (1, True)
    assert "c4n4ry" not in err


def test_survey_is_configured_and_what_is_not_given_stays(served: Served) -> None:
    origin = "https://clinic.example"
    assert run(served, "configure", "URL", "habits", "--cors-origin", origin) == (0, "habits  configured\n", "")
    assert run(served, "configure", "URL", "habits", "--reports-per-minute", 600)[0] == 0
    listed = served.ask("GET", "/v1/surveys", token=served.admin)[2]["surveys"]
    (row,) = [row for row in listed if row["id"] == SURVEY.id]
    assert (row["cors_origins"], row["reports_per_minute"]) == ([origin], 600)
    assert served.ask("GET", HABITS, headers={"Origin": origin})[1]["Access-Control-Allow-Origin"] == origin
    assert run(served, "configure", "URL", "habits", "--no-cors", "--reports-per-minute", 0)[0] == 0
    listed = served.ask("GET", "/v1/surveys", token=served.admin)[2]["surveys"]
    (row,) = [row for row in listed if row["id"] == SURVEY.id]
    assert (row["cors_origins"], row["reports_per_minute"]) == ([], None)
    code, _, err = run(served, "configure", "URL", "habits", "--cors-origin", "c4n4ry")
    assert (code, "422 bad_setting" in err, "c4n4ry" in err) == (1, True, False)


def test_blind_invitations_from_the_file_to_the_counts(served: Served, tmp_path: Path) -> None:
    """`sotto publish` has the keys made, once; few invitations are warned of; the same file stays the same survey."""
    (tmp_path / "blind.toml").write_text(FEW.replace("few", "sealed", 1) + "\n")
    text = (tmp_path / "blind.toml").read_text().replace("invited = true", 'invited = true\ninvitations = "blind"')
    (tmp_path / "blind.toml").write_text(text)
    _, said, warned = run(served, "check", tmp_path / "blind.toml", "--n", 19)
    assert "Blind invitations hide whose report is whose" in warned
    assert "traded for a token" in said
    published = [run(served, "publish", tmp_path / "blind.toml", "URL", "--yes") for _ in range(2)]
    assert [status for status, _, _ in published] == [0, 0]
    assert len({said for _, said, _ in published}) == 1
    kept = served.ask("GET", "/v1/surveys/sealed")[2]
    assert len(kept["token_keys"]) == 1
    create = ["invite", "create", "URL", "sealed", "--yes", "--count", 19, "--to"]
    status, _, warned = run(served, *create, tmp_path / "a.csv")
    assert (status, "there are 19 invitations. Blind invitations hide" in warned) == (0, True)
    status, _, warned = run(served, *create, tmp_path / "b.csv")
    assert (status, "Blind invitations hide" in warned) == (0, False)
    assert run(served, "invite", "count", "URL", "sealed")[1] == "38 unused, 0 tokens\n"
