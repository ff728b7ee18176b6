"""The first sentence of each command's help: `sotto --help` prints them without importing a command."""

SHORT_HELP = {
    "associate": "Estimate the joint distribution of two or three questions, and test whether they are independent.",
    "audit": "Run the client on made-up answers, and hold what its reports give away against what the survey declares.",
    "backup": "Copy a database, as it is at this moment, while collectors run.",
    "check": "Check a survey file: what it takes, and what a crowd will show.",
    "close": "Let a survey take no more reports.",
    "compare": "Compare a survey with a trusted curator's, and say what its epsilons add up to.",
    "configure": "Set what may change of a survey at a collector.",
    "db": "Make a collector's database, and look after it.",
    "decode": "Decode a text question: which strings are common, with intervals that hold.",
    "erase": "Erase a report, or a whole survey.",
    "estimate": "Estimate shares, and means of numbers, with intervals that hold.",
    "explain": "Say in plain words what a report gives away.",
    "export": "Write a survey's noisy reports to Parquet files.",
    "invite": "Make, count and revoke invitations to a survey that only invited people may answer.",
    "new": "Write a survey file that can work, of a few questions.",
    "outbox": "Show what a device has spent, and what waits.",
    "plan": "Plan what a survey will show of so many respondents, or how many of them a precision needs.",
    "power": "Plan a test: how likely it finds what is there, or how many respondents that takes.",
    "publish": "Publish a survey at a collector.",
    "recount": "Count the stored reports again, and compare with the tallies.",
    "serve": "Run the collector.",
    "simulate": "Rehearse a survey on made-up people: how well it will do, and what goes wrong.",
    "status": "Show a collector's surveys: open or closed, reports, reports a second.",
    "survey": "Write survey files from forms of other programs, and types of their answers for your own.",
    "tally": "Count an archive again, and give its tally, which `sotto estimate` and `sotto decode` read.",
    "token": "Make, list and revoke a collector's tokens.",
}
"""By the command's name; a test holds them equal to what the commands say."""

NEEDED_MODULES = {
    "sotto_client": (),
    "sotto_author": (),
    "sotto_collector": ("flask", "waitress", "msgspec", "sqlalchemy", "alembic", "prometheus_client"),
    "sotto_estimator": ("scipy", "matplotlib"),
    "sotto_rehearsal": ("scipy", "matplotlib"),
}
"""By the package that a command is in, what its extra brings: without it the command has another line."""
