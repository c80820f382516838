"""From a decision down to its search for targets: every step between what a search keeps and the door.

The functions of `tenure.oracle` are read as they are. What they call has a theorem of its own, which takes
its place here; what has none is a token, of which nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import z3

from tenure.model import Assignment, Cluster, ClusterQueue, PreemptionConfig
from tenure.oracle import decide, partial, search
from tenure.oracle.assignment import NOTHING
from tenure.oracle.partial import Trial, halved
from tenure.oracle.question import Question, Selection
from tenure.oracle.snapshot import Snapshot
from tenure.readings import FairSharingRepair
from tenure.rules.flavors import reduced_count
from tenure.rules.terms import PreemptionTerms
from tenure_proofs.theorems.decision import DECIDED, said, seeing
from tenure_proofs.theorems.registry import theorem
from tenure_proofs.theorems.standins import (
    BOOL,
    INT,
    PARTIAL,
    called,
    known_as,
    only_of,
    refuses_only_of,
    same,
    telling,
    token,
)
from tenure_proofs.theorems.taken import everywhere, known
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Grown, Row, State, Way
from tenure_proofs.trusted.procedures import POINT, Invariant, Law, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymToken, as_term

SEARCHED = z3.Function("searched", INT, INT)
"""What is searched for an assignment."""


def _assignment(name: str) -> Made:
    known = {part: SymBool(z3.Bool(f"{name}.{part}")) for part in ("fits", "needs_preemption")}
    return Made(Assignment, {**known, "usage": token(name)})


def _number(assignment: Made) -> z3.ArithRef:
    term: z3.ArithRef = assignment.fields["usage"].term
    return term


SEEN = Conclusion("PO-ANY-235", "a decision compares a preemptor with its effective priority", same)
OF_SOME_PODS = Conclusion("PO-ANY-235", "a trial after some steps is that of some number of pods", same)
FEWER_PODS = "fewer pods find a place wherever more do, where the most that do are meant"
"""A hypothesis of one goal alone: it is false of some clusters (PO-KQ-645)."""


@theorem(
    "PO-ANY-235",
    about=(
        decide.decide,
        decide._try,
        decide._searched,
        decide.question_of,
        halved,
        partial._tried,
        partial._after,
        partial._noted,
    ),
    size="any decision, of any number of candidates and of any number of pods below 2^62",
)
def a_decision_preempts_exactly_whom_its_search_has_kept_and_searches_only_where_quota_is_lacking(
    function: Callable[..., Any] = decide.decide,
    chosen: Callable[..., Any] = decide._try,
    searched: Callable[..., Any] = decide._searched,
    halving: Callable[..., Any] = halved,
    tried: Callable[..., Any] = partial._tried,
    after: Callable[..., Any] = partial._after,
    noted: Callable[..., Any] = partial._noted,
) -> Iterator[Part]:
    """The candidates that a search keeps, in their order, are what PO-ANY-200 is about; there are no others.

    A search is made exactly where the assignment that is decided on fits and lacks quota, about that
    assignment, the tree, the preemptor, the terms and the clock of the decision. So where a workload is kept,
    preemption is needed, and might help. Of several numbers of pods the one that is decided on finds a place,
    and one step before it finds none; all pods are decided on only where the fewest find none. It is the
    greatest that finds a place provided that fewer pods find one wherever more do, which PO-KQ-645 refutes.
    """
    yield from _handed_on(function)
    yield from _tried(chosen)
    yield from _asked(searched)
    yield from _of_some_pods(after, noted)
    yield from _halved(halving)
    yield from _searched_for_its_own(tried)


def _handed_on(function: Callable[..., Any]) -> Iterator[Part]:
    size = z3.Int("count")
    kept = Row(SymToken, size, told=(z3.Int("whom the search has kept"),))
    others = Row(SymToken, size, told=(z3.Int("whom it has looked at"),))
    names = ("queue_name", "now", "reading", "search", "assignment", "preemptor")
    given, effective = {name: token(name) for name in names}, token("its effective priority")
    terms, trials = token("terms"), token("trials")
    cluster = Made(Cluster, {"settings": token("settings"), "": token("cluster")})
    asked_of = (cluster, given["queue_name"], given["now"], given["reading"])
    taken, bounded = (Made(Snapshot, {"queue": token(f"queue {name}")}) for name in ("taken", "bounded"))
    for there in (False, True):
        assignment = _assignment("assignment")
        calls = z3.And(assignment.fields["fits"].term, assignment.fields["needs_preemption"].term)
        found = Made(Selection, {"kept": kept, "candidates": others}) if there else None
        trial = Made(Trial, {"assignment": assignment, "selection": found})
        within = Made(Trial, {**trial.fields, "": token("within bounds")})
        those = kept if there else ()
        for snapshot in (None, Made(Snapshot, {"queue": token("queue")})):
            made = snapshot or bounded
            expected = (made, effective, within, those, terms, given["reading"], given["now"], trials)

            def of(way: Way, expected: Any = expected) -> Labelled:
                handed = zip(LABELS, way.value, expected, strict=True)
                seen = SEEN.goal(way.value[1], effective)
                return [seen, *((label, same(one, own)) for label, one, own in handed)]

            tried = (made, effective, terms, given["now"], given["assignment"], given["search"])
            yield from read_procedure(
                seeing(
                    function,
                    take_snapshot=only_of(taken, *asked_of),
                    with_bounded_usage=only_of(bounded, taken),
                    deciding=only_of(NOT_MODELLED, made),
                    refuse_unmodelled=refuses_only_of(NOT_MODELLED),
                    with_effective_priority=only_of(
                        effective, given["preemptor"], cluster, given["now"], given["reading"]
                    ),
                    terms_of=only_of(
                        terms, made.fields["queue"], cluster.fields["settings"], given["reading"]
                    ),
                    _try=only_of((trial, trials), *tried),
                    _within_bounds=only_of(within, made, effective, trial, those),
                    _decided=Law(_decision, of=decide._decided),
                ),
                {**given, "cluster": cluster, "snapshot": snapshot},
                of,
                facts=(size >= 0, z3.BoolVal(there) == calls),
            )


def _decision(_: State, *handed: Value) -> tuple[Value, ...]:
    """What the last step of a decision is handed; what PO-ANY-200 requires of that is shown."""
    DECIDED.law()(*handed)
    return handed


NOT_MODELLED = token("what decides and is not modelled")
"""Where there is any, no decision is made."""

LABELS = (
    "of the tree that was looked at",
    "with its effective priority",
    "on what was tried",
    "whom the search has kept",
    "by its terms",
    "by its reading",
    "by its clock",
    "with all trials",
)
"""What the last step of a decision is handed, in order."""


def _tried(function: Callable[..., Any]) -> Iterator[Part]:
    given, derived, nothing = (_assignment(name) for name in ("given", "derived", "nothing"))
    names = ("preemptor", "terms", "now")
    told = {name: token(name) for name in names}
    inactive, assigner, trials = z3.Bool("inactive"), token("assigner"), token("trials")
    snapshot = Made(Snapshot, {"queue": Made(ClusterQueue, {"inactive": SymBool(inactive)})})
    for assignment in (None, given):

        def law(_: State, *asked: Any) -> Value:
            *before, wanted = asked
            own = (snapshot, told["preemptor"], told["terms"], told["now"], SEARCH)
            exact = z3.And([same(mine, theirs) for mine, theirs in zip(before, own, strict=True)])
            return SymToken(z3.If(exact, SEARCHED(_number(wanted)), -1))

        def counted(held: State, by_whom: Value, by: Value) -> Value:
            exact = z3.is_true(z3.simplify(same(by_whom, assigner)))
            trial = {
                "assignment": derived,
                "selection": called(by, held, derived),
                "counts": (),
                "groups": (),
            }
            return Made(Trial, trial if exact else {**trial, "assignment": given}), trials

        def of(way: Way, assignment: Made | None = assignment) -> Labelled:
            trial, tried = way.value[0].fields, way.value[1]
            found, decided = trial["selection"], trial["assignment"]
            alone = assignment is not None or found is None
            none = same((trial["counts"], trial["groups"]), ((), ())) if alone else z3.BoolVal(True)
            if found is None:
                no = z3.BoolVal(not NOTHING.fits)
                which = z3.And(inactive, same(decided, nothing), same(tried, ()), no)
                return [("no search where nothing is assigned", which), ("no counts are tried", none)]
            searched = found.term == SEARCHED(_number(decided))
            which = same(decided, derived if assignment is None else assignment)
            every_trial = same(tried, trials if assignment is None else ())
            return [
                ("searched for what is decided on", searched),
                ("the one assigned", which),
                ("with every trial", every_trial),
                ("no counts are tried of what is given", none),
            ]

        yield from read_procedure(
            seeing(
                function,
                partial=PARTIAL,
                _searched=Law(law),
                try_counts=Law(counted),
                Assigner=only_of(assigner, snapshot, *(told[name] for name in names), SEARCH),
                NOTHING=nothing,
            ),
            {**told, "snapshot": snapshot, "given": assignment, "search": SEARCH},
            of,
        )


SEARCH = Law(lambda _, question: question)
"""A search: what it is asked stands for what it finds."""


def _asked(function: Callable[..., Any]) -> Iterator[Part]:
    given: dict[str, Value] = {name: token(name) for name in ("preemptor", "snapshot")}
    given |= {"terms": Made(PreemptionTerms, {}), "search": SEARCH, "now": SymInt(z3.Int("now"))}
    assignment = _assignment("assignment")
    calls = z3.And(assignment.fields["fits"].term, assignment.fields["needs_preemption"].term)
    request = telling("what is asked for", known_as)

    def of(way: Way) -> Labelled:
        if way.value is None:
            return [("no search", z3.Not(calls))]
        asked = way.value.fields
        named = ((name, same(asked[name], given[name])) for name in ("snapshot", "preemptor", "terms", "now"))
        own = z3.Int("assignment")
        return [
            ("a search", calls),
            *named,
            ("what lacks quota", z3.BoolVal(asked["needed"] is assignment.fields["needs_preemption"])),
            ("its request", asked["request"].term == as_term(request.value({}, SymToken(own)), SymToken)),
        ]

    of_it = Law(lambda held, given: request.value(held, given.fields["usage"]))
    question_of = seeing(decide.question_of, searched_request=of_it)
    read = seeing(function, question_of=question_of)
    yield from read_procedure(read, {**given, "assignment": assignment}, of)


_noted_after = z3.Function("noted", INT, INT)
_tried_after, TRIALS = z3.Function("tried", INT, INT), z3.Const("trials", z3.ArraySort(INT, INT))


def _of_some_pods(after: Callable[..., Any], noted: Callable[..., Any]) -> Iterator[Part]:
    """After some steps each pod set has as many pods as its rule says, and that trial is noted."""
    size, place = z3.Ints("pod_sets any_pod_set")
    steps, step = SymInt(z3.Int("steps")), SymInt(z3.Int("step"))
    full, fewest = (z3.Function(f"{name} pods", INT, INT) for name in ("full", "fewest"))
    bounds = Row(lambda at: (SymInt(full(at)), SymInt(fewest(at))), size)
    own = said(reduced_count, count=SymInt(full(place)), fewest=SymInt(fewest(place)), step=step, steps=steps)
    there = z3.And(place >= 0, place < size)

    def counted(way: Way) -> Labelled:
        counts = way.value
        each = z3.Implies(there, as_term(counts.at(place), int) == own)
        return [("each pod set", counts.size == size), ("as many pods", each)]

    given = {"tried": Law(lambda _, counts: counts), "bounds": bounds, "steps": steps, "step": step}
    yield from read_procedure(after, given, counted, facts=(steps.term > 0, size >= 0))

    def of(way: Way) -> Labelled:
        then, trial = way.names["trials"], SymToken(_tried_after(step.term))
        more = z3.And(then.size == size + 1, then.term == z3.Store(TRIALS, size, trial.term))
        return [OF_SOME_PODS.goal(way.value, trial), ("it is noted", more)]

    trial_after = Law(lambda _, at: SymToken(_tried_after(at.term)))
    given = {"trials": Grown(TRIALS, size), "after": trial_after, "step": step}
    yield from read_procedure(noted, given, of)


def _halved(function: Callable[..., Any]) -> Iterator[Part]:
    everything, steps = z3.Int("everything"), z3.Int("steps")
    tried, served = _tried_after, z3.Function("served", INT, BOOL)
    monotone = z3.Bool(FEWER_PODS)

    def found(names: State, point: Any) -> Labelled:
        chosen, first, end = names["chosen"].term, as_term(names["first"], int), as_term(names["end"], int)
        at_end = z3.And(end <= steps, served(tried(end)), chosen == tried(end))
        none = z3.And(end == steps + 1, chosen == everything)
        below = z3.Implies(first > 0, z3.Not(served(tried(first - 1))))
        fewer = z3.Implies(z3.And(point >= 0, point < first), z3.Not(served(tried(point))))
        return [
            ("one that is served, or all pods", z3.Or(at_end, none)),
            ("none one step before", below),
            ("none with more pods, where that is monotone", z3.Implies(monotone, fewer)),
        ]

    def holds(number: Any, _: State, here: State, point: Any) -> Labelled:
        first, end = (as_term(here[name], int) for name in ("first", "end"))
        order = z3.And(first >= 0, first <= end, end <= steps + 1, end - first + number <= steps + 1)
        return [("between, and it ends", order), *found(here, point)]

    def middle(here: State) -> Any:
        return (as_term(here["first"], int) + as_term(here["end"], int)) / 2

    def fewer_pods(point: Any, here: State) -> Any:
        more = z3.And(monotone, point <= middle(here), served(tried(point)))
        return z3.Implies(more, served(tried(middle(here))))

    def left(here: State) -> Any:
        return as_term(here["end"], int) - as_term(here["first"], int)

    def reduced(_: State, step: Value) -> SymToken:
        trial, own = (SymToken(function(as_term(step, int))) for function in (_noted_after, tried))
        known(OF_SOME_PODS.of(trial, own))
        return trial

    yield from read_procedure(
        function,
        {
            "everything": SymToken(everything),
            "steps": SymInt(steps),
            "reduced": Law(reduced),
            "served": Law(lambda _, trial: SymBool(served(trial.term))),
        },
        lambda way: [
            *found(way.names, POINT),
            ("what is returned", way.value.term == way.names["chosen"].term),
            ("all were looked at", as_term(way.names["first"], int) == as_term(way.names["end"], int)),
        ],
        facts=(steps >= 0, steps < 2**62),
        loops=(Invariant(holds, everywhere=everywhere((FEWER_PODS, GIVEN, fewer_pods)), measure=left),),
    )


def _searched_for_its_own(function: Callable[..., Any]) -> Iterator[Part]:
    own = _assignment("assignment")

    def of(way: Way) -> Labelled:
        trial = way.value.fields
        selected = trial["selection"].term == SEARCHED(_number(own))
        return [
            ("its own assignment", same(trial["assignment"], own)),
            ("searched for it", selected),
            ("of these counts", same(trial["counts"], counts)),
            ("by these flavors", same(trial["groups"], groups)),
        ]

    counts, groups = token("counts"), token("groups")
    assigned = Made(Trial, {"assignment": own, "groups": groups})
    yield from read_procedure(
        function,
        {
            "assign": only_of(assigned, counts),
            "search": Law(lambda _, wanted: SymToken(SEARCHED(_number(wanted)))),
            "counts": counts,
        },
        of,
    )


@theorem("PO-ANY-240", size="any search")
def heroes_search_as_heroes_do_and_others_by_fair_sharing_exactly_where_it_is_configured(
    function: Callable[..., Any] = search.find_targets,
) -> Iterator[Part]:
    """KEP-8826, Implementation: a hero searches as heroes do; KEP-13396: unless a config is named.

    A repair of kueue#14543 searches where a reading chooses one, and nowhere else. KEP-9876: whoever a
    PreemptionConfig does not select searches among the unprotected.
    """
    hero, shares, repair = z3.Bool("hero"), z3.Bool("fair sharing"), z3.Int("repair")
    told = {"hero": SymBool(hero), "fair_sharing": SymBool(shares), "fair_sharing_repair": SymInt(repair)}
    terms = Made(PreemptionTerms, told)
    searches = {
        "select_for_hero": 1,
        "select_fairly": 2,
        "select_classically": 3,
        "select_beside_config": 4,
        "select_by_repair": 5,
    }
    for named in (None, Made(PreemptionConfig, {})):
        snapshot = Made(Snapshot, {"queue": Made(ClusterQueue, {"preemption_config": named})})
        among = [
            Made(Question, {"terms": terms, "snapshot": snapshot, "listing": token(candidates)})
            for candidates in ("all", "unprotected")
        ]
        usual = z3.If(hero, 1, z3.If(shares, z3.If(repair == FairSharingRepair.NONE, 2, 5), 3))
        yield from _by_kind(function, among, searches, usual if named is None else z3.IntVal(4))


def _by_kind(
    function: Callable[..., Any], among: Sequence[Made], searches: dict[str, int], expected: z3.ArithRef
) -> Iterator[Part]:
    question, unprotected = among

    def law(name: str, number: int) -> Law:
        meant = question if name == "select_beside_config" else unprotected
        return Law(lambda _, asked: SymToken(z3.If(same(asked, meant), number, 0)))

    laws = {name: law(name, number) for name, number in searches.items()}
    yield from read_procedure(
        seeing(function, **laws, beside_protection=only_of(unprotected, question)),
        {"question": question},
        lambda way: [("by its kind", way.value.term == expected)],
    )
