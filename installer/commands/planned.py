"""`--plan`: what would change step by step, and what would compensate it; nothing is changed."""

from argparse import Namespace
from collections.abc import Callable, Iterator

from installer import exits
from installer.answer import say
from installer.environment import Caller
from installer.session import Session, dry
from installer.terminal import sentence
from states.activation import STEPS
from states.errors import PharosError
from states.plan import Plan
from states.verify import Request, verify


def told_plan(caller: Caller, args: Namespace, request: Callable[[Session], Request]) -> int:
    """Print the plan of what is asked for; exit 1 when it would be refused."""
    session = dry(caller, args.command)
    try:
        plan = verify(request(session), session.host)
    except PharosError as error:
        say(args, {"refused": error.message, "hint": error.hint}, [sentence(error)])
        return exits.REFUSED
    steps = [{"step": step.name, "do": do, "undo": undo} for step, (do, undo) in zip(STEPS, lines(plan), strict=True)]
    text = [f"{step['step']:<14} {step['do']}\n{'':<14} undo: {step['undo']}" for step in steps]
    say(args, {"steps": steps}, [*text, "nothing was changed"])
    return exits.DONE


def lines(plan: Plan) -> Iterator[tuple[str, str]]:
    """Yield (do, undo) of each step with this plan's nouns filled in."""
    incoming, outgoing = plan.incoming.id, plan.back.outgoing.id if plan.back.outgoing else "nothing"
    serving, before = " ".join(plan.next.serving) or "nothing", " ".join(plan.back.serving) or "nothing"
    units = " ".join(plan.incoming.unit_files)
    yield f"previous -> {plan.next.previous or 'nothing'}, current -> {incoming}", f"current -> {outgoing}"
    yield f"exactly these unit files: {units}; daemon-reload", f"exactly the unit files of {outgoing}; daemon-reload"
    yield f"run exactly: {serving}", f"stop what did not run before; run: {before}"
    yield f"settle window {plan.settle:g} s, proof of each agent, offering Active, Site API answers", "nothing to undo"
    yield f"the record names {incoming} (commit)", f"the record names {outgoing}"
