"""The step log in the real journal."""

import json
import uuid
from collections.abc import Callable
from pathlib import Path

import jsonschema

from fixtures.lab.small_site import GOOD, SmallSite

Qualified = Callable[[int, str, str], None]
SCHEMA = json.loads((Path(__file__).parents[2] / "installer/events.schema.json").read_text())


def test_every_line_of_the_journal_is_an_event_and_one_run_can_be_had_by_its_id(
    site: SmallSite, qualified: Qualified
) -> None:
    site.install_small("next")
    site.activate("next")
    site.activate(GOOD)
    lines = site.machine.check("journalctl", "-t", "pharos-hpc", "-o", "cat", "--no-pager").splitlines()
    events = [json.loads(line) for line in lines]
    for event in events:
        jsonschema.validate(event, SCHEMA)
    transactions = {event["transaction"] for event in events if event["command"] == "activate"}
    assert len(transactions) == 3  # the layer's, and these two
    for transaction in transactions:
        assert uuid.UUID(transaction).version == 4
        words = ("journalctl", "-t", "pharos-hpc", "-o", "cat", "--no-pager", f"PHAROS_TRANSACTION={transaction}")
        found = [json.loads(line) for line in site.machine.check(*words).splitlines()]
        assert found == [event for event in events if event["transaction"] == transaction]
        assert [found[0]["event"], found[-1]["event"]] == ["run.started", "run.finished"]
    qualified(5, "lines of the journal that are valid events", f"{len(events)} of {len(events)}")
    qualified(5, "runs retrieved by PHAROS_TRANSACTION", f"{len(transactions)} of {len(transactions)}")


def test_fields_can_be_queried(site: SmallSite) -> None:
    line = site.machine.check("journalctl -t pharos-hpc -o json --no-pager | tail -1")
    fields = sorted(name for name in json.loads(line) if name.startswith("PHAROS_"))
    assert {"PHAROS_TRANSACTION", "PHAROS_OUTCOME", "PHAROS_COMMAND"} <= set(fields)
    assert site.machine.check("journalctl", "-q", "PHAROS_OUTCOME=recorded", "-o", "cat").count("run.finished") >= 1
