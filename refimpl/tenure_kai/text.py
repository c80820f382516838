"""What the rules found about queues and jobs, in words: clauses, sentences, answers line by line."""

from __future__ import annotations

from collections.abc import Iterator

from tenure.explanation.remarks import Remark
from tenure.explanation.verdicts import remark_lines
from tenure.model import Action, Instant, ResolveMethod
from tenure.rules.min_runtime import is_elastic
from tenure.units import counted, format_duration, format_instant
from tenure_kai.answer_types import FilterAnswer, ResolveAnswer, ValidateAnswer
from tenure_kai.arguments import DEFAULT_PREEMPT, DEFAULT_RECLAIM
from tenure_kai.model import Job, Queue, Scene
from tenure_kai.resolver import Resolution
from tenure_kai.session import Delay, Filtered, GroupLoss, JobLoss, Protection


def field_of(action: Action) -> str:
    """The field of a Queue that an action looks at.

    >>> field_of(Action.RECLAIM)
    'reclaimMinRuntime'
    """
    return "preemptMinRuntime" if action == Action.PREEMPT else "reclaimMinRuntime"


def origin(resolution: Resolution) -> str:
    """Whose value it is, and where that queue is in the tree.

    >>> origin(Resolution(Action.RECLAIM, 0))
    'the default of 0s, which defaultReclaimMinRuntime sets'
    """
    value = format_duration(resolution.min_runtime)
    if resolution.source is None:
        argument = DEFAULT_PREEMPT if resolution.action == Action.PREEMPT else DEFAULT_RECLAIM
        return f"the default of {value}, which {argument} sets"
    return f"queue {resolution.source}'s {field_of(resolution.action)} {value}{_standing(resolution)}"


def _standing(resolution: Resolution) -> str:
    if resolution.step is None:
        return "" if resolution.source == resolution.path[-1] else ", which the victim's queue inherits"
    if resolution.source == resolution.ancestor:
        return ", the common ancestor"
    if resolution.source != resolution.step:
        return f", above the common ancestor {resolution.ancestor}"
    if resolution.ancestor is None:
        return ", the victim's top-level queue"
    return f", one step below the common ancestor {resolution.ancestor}"


def resolution_remarks(resolution: Resolution, scene: Scene) -> Iterator[Remark]:
    """What the rules found on the way to a minimum runtime, from the top of the victim's path down."""
    if resolution.missing:
        names = " and ".join(repr(name) for name in resolution.missing)
        yield Remark("KMR-050", False, f"there is no queue {names}; what counts is {origin(resolution)}")
        return
    yield Remark("KMR-050", True, "every queue that is needed exists")
    has_a_say = True
    for name in resolution.path:
        if resolution.action == Action.RECLAIM:
            yield Remark("KMR-030", has_a_say, _say(name, has_a_say, resolution, scene))
        if has_a_say:
            yield _own(scene.queues[name], resolution.action)
        has_a_say = has_a_say and name != resolution.step
    rule = "KMR-010" if resolution.action == Action.PREEMPT else "KMR-040"
    yield Remark(rule, resolution.source is not None, f"what counts is {origin(resolution)}")


def _say(name: str, has_a_say: bool, resolution: Resolution, scene: Scene) -> str:
    if scene.arguments.method == ResolveMethod.QUEUE:
        return f"{name} has a say: by method queue every queue of the victim's path has"
    if not has_a_say:
        return f"{name} has no say: it is below {resolution.step}, where the two paths have parted"
    above = scene.queues[name].parent
    if above not in scene.queues:
        return f"{name} has a say: it is top-level"
    return f"{name} has a say: {above} above it is on the reclaimer's path too"


def _own(queue: Queue, action: Action) -> Remark:
    value = queue.own(action)
    if value is None:
        return Remark("KMR-010", False, f"{queue.name} sets no {field_of(action)}")
    return Remark("KMR-010", True, f"{queue.name} sets {field_of(action)} {format_duration(value)}")


def protection_remark(protection: Protection, job: Job, now: Instant) -> Remark:
    """The state of a job by the clock."""
    if protection.kept:
        shown = "protected" if protection.protected else "not protected"
        return Remark("KMR-120", protection.protected, f"the session has it as {shown} from an earlier call")
    if job.started_at is None or protection.until is None:
        return Remark("KMR-060", False, "it has no start stamp")
    until = format_instant(protection.until)
    relation = "before" if protection.protected else "not before"
    text = f"started {format_instant(job.started_at)}; {format_instant(now)} is {relation} {until}"
    return Remark("KMR-060", protection.protected, text)


def verdict_of(protection: Protection, now: Instant) -> str:
    """Whether a job is protected, until when and by what, in one clause.

    >>> verdict_of(Protection("a/b", protected=False), now=0)
    'not protected: it has no start stamp'
    >>> minute = 60 * 10**9
    >>> found = Resolution(Action.PREEMPT, minute, source="q", path=("q",))
    >>> verdict_of(Protection("a/b", False, minute, minute, found), now=minute)
    "not protected since 00:01:00: queue q's preemptMinRuntime 1m is over"
    """
    if protection.kept:
        return f"{'protected' if protection.protected else 'not protected'}, as the session found before"
    if protection.resolution is None or protection.until is None:
        return "not protected: it has no start stamp"
    source = origin(protection.resolution)
    until = _clock(protection.until, now)
    if protection.protected:
        return f"protected until {until} by {source}"
    comma = "," if ", " in source else ""
    return f"not protected since {until}: {source}{comma} is over"


def _clock(instant: Instant, now: Instant) -> str:
    """A time of day, where it is the day of the clock."""
    shown, today = format_instant(instant), format_instant(now)
    return shown[11:].removesuffix("Z") if shown[:10] == today[:10] else shown


def delay_verdict(pending: str, delay: Delay, now: Instant) -> str:
    """That a pending job evicts no workload yet; empty where it may.

    >>> delay_verdict("a/b", Delay(True, 60 * 10**9), now=0)
    'a/b evicts no workload before 00:01:00, the end of its preemption delay'
    """
    if not delay.delayed or delay.until is None:
        return ""
    return f"{pending} evicts no workload before {_clock(delay.until, now)}, the end of its preemption delay"


def delay_remarks(pending: str, delay: Delay, now: Instant) -> Iterator[Remark]:
    """What the pending job's preemption delay comes to; nothing where it has none."""
    if delay.until is not None:
        text = delay_verdict(pending, delay, now)
        yield Remark("KMR-170", delay.delayed, text or f"{pending}'s preemption delay is over")


def elastic_remarks(job: Job) -> Iterator[Remark]:
    """Which sub-groups have pods to spare."""
    for group in job.sub_groups:
        count = len(group.pods)
        pods = counted(count, "pod")
        text = f"sub-group {group.name}: {pods}, minAvailable {group.min_available}"
        yield Remark("KMR-070", is_elastic(False, group.min_available, count), text)


def filter_remark(filtered: Filtered) -> Remark:
    """What the filter makes of it."""
    if filtered.elastic:
        text = "it is elastic: what it may lose is a question about a scenario"
    else:
        text = "it may be considered" if filtered.passes else "it is protected whole"
    return Remark("KMR-080", filtered.passes, text)


def group_sentence(group: GroupLoss) -> str:
    """What is left of a sub-group.

    >>> group_sentence(GroupLoss("default", 2, active=3, lost=2, keeps=False))
    'sub-group default keeps 3 - 2 = 1 of at least 2'
    """
    left = group.active - group.lost
    least = group.min_available
    return f"sub-group {group.name} keeps {group.active} - {group.lost} = {left} of at least {least}"


def loss_verdict(loss: JobLoss, now: Instant) -> str:
    """Why a job refuses a scenario, or does not, in one clause."""
    if not loss.elastic:
        return "not looked at: it is not elastic, and the filter speaks for it"
    if loss.protection is None or not loss.protection.protected:
        shown = "it is not protected" if loss.protection is None else verdict_of(loss.protection, now)
        return f"may lose any pod: {shown}"
    shown = verdict_of(loss.protection, now)
    failing = [group_sentence(group) for group in loss.groups if not group.keeps]
    if failing:
        return f"refuses: {failing[0]}, and it is {shown}"
    return f"keeps its minimum; it is {shown}"


def resolve_lines(answer: ResolveAnswer) -> Iterator[str]:
    """Which minimum runtime counts between two queues."""
    yield answer.summary
    yield f"  {answer.action}, method {answer.method}, path {' / '.join(answer.path) or 'unknown'}"
    yield from remark_lines(answer.remarks)


def filter_lines(answer: FilterAnswer) -> Iterator[str]:
    """Who may be considered as a victim."""
    yield answer.summary
    yield f"  clock {answer.now}, method {answer.method}"
    for filtered in answer.victims:
        verb = "may be preempted" if filtered.passes else "is kept"
        yield ""
        yield f"{filtered.victim} in {filtered.queue} {verb} ({filtered.action}): {filtered.verdict}"
        yield from remark_lines(filtered.remarks)


def validate_lines(answer: ValidateAnswer) -> Iterator[str]:
    """Whether a scenario is accepted."""
    yield answer.summary
    yield f"  {answer.action}, clock {answer.now}, method {answer.method}"
    for loss in answer.victims:
        yield ""
        yield f"{loss.victim} {loss.verdict}"
        yield from remark_lines(loss.remarks)
