"""started → healthy: the outside world answers, and each agent stays, from the right release, and proves itself.

The quick questions come first: where Waldur says no, the agents need not be waited for.
"""

from collections.abc import Mapping, Sequence

from states.errors import Unhealthy
from states.host import Host
from states.plan import Plan, WayBack
from states.unit import UnitState

TICK = 1.0  # seconds between two looks at the units
PATIENCE = 120.0  # seconds beyond the settle window within which an agent must have proved itself


def do(plan: Plan, host: Host) -> None:
    """Return when everything selected is healthy; raise `Unhealthy` with the evidence at the first that is not."""
    if not plan.next.serving:
        return
    _outside(plan, host)
    first = _steady(plan, host, None)
    for _ in range(round(plan.settle / TICK)):
        host.patience.wait(TICK)
        _steady(plan, host, first)
    _proved(plan, host, first)


def undo(_back: WayBack, _host: Host) -> None:
    """Nothing: a probe leaves no trace."""


def _outside(plan: Plan, host: Host) -> None:
    if "site-agent" in plan.next.components:
        host.web.offering()
    if "ssh-access" in plan.next.components:
        host.web.site_api()


def _proved(plan: Plan, host: Host, first: Sequence[UnitState]) -> None:
    """Each agent that has a proof to give has given it, and no error came within a moment after it."""
    proofs = {state: plan.proof(state.name) for state in first if plan.proof(state.name)}
    waiting: list[UnitState] = []
    for _ in range(round(PATIENCE / TICK)):
        waiting = [state for state, proof in proofs.items() if not _evidence(proof, state, host)]
        if proofs:
            host.patience.wait(TICK)
            _steady(plan, host, first)
        if not waiting:
            _unspoilt(proofs, host)
            return
    raise _unhealthy(waiting[0], f"did not write '{proofs[waiting[0]]}' to its journal", host)


def _unspoilt(proofs: Mapping[UnitState, str], host: Host) -> None:
    for state, proof in proofs.items():
        _evidence(proof, state, host)


def _evidence(proof: str, state: UnitState, host: Host) -> bool:
    """Return whether the proof was written; raise when an error came after it."""
    lines = host.units.journal(state)
    seen = [number for number, line in enumerate(lines) if proof in line]
    if not seen:
        return False
    if errors := [line for line in lines[seen[0] :] if is_error(line)]:
        raise _unhealthy(state, f"reported an error after its start: {errors[0]}", host)
    return True


def is_error(line: str) -> bool:
    """Return whether a journal line of an agent (a JSON object) is of level error or critical."""
    return any(f'"level": "{level}"' in line or f'"level":"{level}"' in line for level in ("error", "critical"))


def _steady(plan: Plan, host: Host, first: Sequence[UnitState] | None) -> Sequence[UnitState]:
    """Return the units' states; raise when one does not run, or is not the process that was started."""
    now = host.units.states(plan.next.serving)
    for number, state in enumerate(now):
        if state.active != "active":
            raise _unhealthy(state, f"is {state.active}", host)
        if state.release != plan.incoming.id:
            raise _unhealthy(state, f"runs from {state.origin}, not from '{plan.incoming.id}'", host)
        if first and (state.invocation, state.restarts) != (first[number].invocation, first[number].restarts):
            raise _unhealthy(state, "was restarted within its settle window", host)
    return now


def _unhealthy(state: UnitState, what: str, host: Host) -> Unhealthy:
    tail = host.units.journal(state)[-10:]
    return Unhealthy(
        f"unit '{state.name}' {what}",
        hint=f"journalctl -u {state.name} -n 50",
        facts={"unit": state.name, "tail": list(tail)},
    )
