"""The first sentence of each command's help, by task: `sotto --help` prints them without importing a command."""

TASKS = {
    "Write a survey": {
        "new": "Write a survey file by answering a few questions.",
        "check": "Check a survey file: faults, privacy, and what results will show.",
        "preview": "Show a survey file as a page on this machine.",
        "explain": "Explain in plain words what a report gives away.",
        "survey": "Convert forms of other programs to survey files, and write types for your own.",
    },
    "Plan it": {
        "plan": "Find how precise results will be, or how many people a precision needs.",
        "power": "Find how likely a test is to succeed, or how many people it needs.",
        "simulate": "Rehearse a survey with made-up people.",
        "compare": "Compare a survey with one that trusts a curator: precision and privacy.",
        "audit": "Test what the reports of a client really give away.",
    },
    "Ask people": {
        "publish": "Publish a survey at a collector.",
        "page": "Write the survey page as one file, and print its SHA-256.",
        "classroom": "Ask a room by phone, and show on the wall how the range closes.",
        "invite": "Create, count and revoke invitations to a survey.",
        "verify": "Compare what a collector serves with its release, byte by byte.",
        "outbox": "Show what a device has spent, and which reports it must still send.",
    },
    "Run the collector": {
        "install": "Print a script that makes the collector a service of this machine.",
        "serve": "Run the collector.",
        "intake": "Count reports that wait in a stream of Redis.",
        "relay": "Run a relay between devices and a collector.",
        "gateway": "Make and erase the keys of the gateway for oblivious surveys.",
        "token": "Create, list and revoke access tokens.",
        "status": "List the surveys of a collector, with their numbers of reports.",
        "configure": "Change the settings of a survey at a collector.",
        "close": "Stop accepting reports for a survey.",
    },
    "Read the results": {
        "estimate": "Estimate shares and means, with confidence intervals.",
        "share": "Print a link that shows a survey's results until it ends.",
        "decode": "Find which texts are common among the answers to a text question.",
        "test": "Test shares against a number, between groups, or for a trend.",
        "associate": "Estimate how two or three answers go together, and test for independence.",
        "regress": "Estimate how a hidden answer depends on what is known about people.",
    },
    "Look after the data": {
        "db": "Create the database of a collector, and look after it.",
        "backup": "Copy the database while the collector runs.",
        "drill": "Prove that a backup can be restored, on a scratch copy.",
        "recount": "Count the stored reports again, and compare them with the tallies.",
        "export": "Write the noisy reports of a survey to Parquet files.",
        "tally": "Count an archive, and write the tally that `sotto estimate` reads.",
        "erase": "Erase one report, or all reports of a survey.",
        "certificate": "Print the certificate that reports were erased, as JSON.",
    },
}
"""By the task, then by the command's name; a test holds them equal to what the commands say."""
SHORT_HELP = {name: said for commands in TASKS.values() for name, said in commands.items()}
