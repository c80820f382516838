"""From a decision down to its search for targets: every step between what a search keeps and the door.

The functions of `tenure.oracle` are read as they are. What they call has a theorem of its own, which takes
its place here; what has none is a token, of which nothing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import z3

from tenure.model import Assignment, Cluster, ClusterQueue, PodSet, PreemptionConfig, Settings, Workload
from tenure.oracle import decide, partial, search
from tenure.oracle.assignment import NOTHING, Assigner
from tenure.oracle.partial import Trial, halved
from tenure.oracle.question import Question, Selection
from tenure.oracle.snapshot import Snapshot
from tenure.readings import FairSharingRepair
from tenure.rules.flavors import reduced_count
from tenure.rules.terms import PreemptionTerms
from tenure_proofs.theorems.decision import DECIDED, OUTCOMES, handed, said, seeing
from tenure_proofs.theorems.registry import BELIEVED, theorem
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
from tenure_proofs.theorems.taken import everywhere, known, needed
from tenure_proofs.trusted.ast_lifter import Made, Value
from tenure_proofs.trusted.induction import Labelled, Part
from tenure_proofs.trusted.loops import Grown, Row, State, Way
from tenure_proofs.trusted.procedures import POINT, Invariant, Law, read_procedure
from tenure_proofs.trusted.specified import GIVEN, Conclusion, Taken, there_is_one
from tenure_proofs.trusted.symbols import SymBool, SymInt, SymOptional, SymToken, as_term

SEARCHED = z3.Function("searched", INT, INT)
"""What is searched for an assignment."""


def _assignment(name: str) -> Made:
    known = {part: SymBool(z3.Bool(f"{name}.{part}")) for part in ("fits", "needs_preemption")}
    return Made(Assignment, {**known, "usage": token(name)})


def _number(assignment: Made) -> z3.ArithRef:
    term: z3.ArithRef = assignment.fields["usage"].term
    return term


SEEN = Conclusion("PO-ANY-235", "a decision compares a preemptor with its effective priority", same)
ASKED = Conclusion(
    "PO-ANY-235",
    "a search is made exactly where an assignment fits and lacks quota",
    lambda made, calls: z3.BoolVal(made) == calls,
)
FEWEST = Conclusion(
    "PO-ANY-235",
    "where the fewest pods find a place, so do those that are decided on",
    lambda fewest, chosen: z3.Implies(fewest, chosen),
)
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
            return [ASKED.goal(False, calls)]
        asked = way.value.fields
        named = ((name, same(asked[name], given[name])) for name in ("snapshot", "preemptor", "terms", "now"))
        own = z3.Int("assignment")
        return [
            ASKED.goal(True, calls),
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
            FEWEST.goal(served(tried(steps)), served(way.value.term)),
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


_served = z3.Function("a trial finds a place", INT, BOOL)
ALL_PODS = token("everything")
_ALL, _SOME = z3.Bools("all_pods_found_a_place some_pods_found_a_place")
STILL_FOUND = (
    "with no cohort, second flavor or quota for pods, as many or fewer pods find a place if fewer run",
    BELIEVED,
)
FINDS = Conclusion(
    "PO-ANY-355",
    "a decision finds something exactly where its pods find a place",
    lambda served, nothing: served != nothing,
)
AGAIN = Conclusion(
    "PO-ANY-355",
    "who has found a place finds one again, for some number of pods",
    lambda before, nothing: z3.Implies(before, z3.Not(nothing)),
)
"""Of whether its pods had found a place, and of whether its decision finds nothing."""


@theorem(
    "PO-ANY-355",
    about=(partial.try_counts, partial._bounds, partial.is_served, decide._outcome),
    size="any number of pod sets and of pods below 2^62",
)
def who_has_found_a_place_finds_one_again_for_all_of_its_pods_or_for_some(
    counts: Callable[..., Any] = partial.try_counts,
    served: Callable[..., Any] = partial.is_served,
) -> Iterator[Part]:
    """Kueue v1beta2, `PodSet.minCount`: halving may miss numbers of pods (F-079), but not all of them.

    A decision comes to Fit or Preempt exactly where its number of pods finds a place. A workload that had
    found one, for all of its pods or for fewer, finds one again if all of them do, or as few as it allows.
    That these do is believed of a ClusterQueue alone.
    """
    yield from _finds(served)
    steps, gate, asked = SymInt(z3.Int("steps")), z3.Bool("partial admission"), token("search")
    settings = Made(Settings, {"partial_admission": SymBool(gate)})
    pod_sets, assign = Row(_pod_set, z3.Int("pod_sets")), token("assign")
    workload = Made(Workload, {"pod_sets": pod_sets})
    snapshot = Made(Snapshot, {"cluster": Made(Cluster, {"settings": settings})})
    assigner = Made(Assigner, {"assign": assign, "workload": workload, "snapshot": snapshot})
    everything, chosen, trials = Made(Trial, {"": ALL_PODS}), token("of fewer pods"), token("trials")
    full, fewest = _bounds_of(POINT)

    def each(row: Value, number: Callable[[Value], Any], expected: Any) -> None:
        inside = z3.And(POINT >= 0, row.size > POINT)
        needed(z3.Implies(inside, z3.And(row.size == pod_sets.size, number(row.at(POINT)) == expected)))

    def tried(_: State, *asked_of: Value) -> Made:
        handed(*zip(asked_of, (assign, asked), strict=False))
        each(asked_of[2], lambda count: count.term, _pod_set(POINT).fields["count"].term)
        return everything

    def after(_: State, of_pods: Value, bounds: Value, most: Value, step: Value) -> SymToken:
        counts_of_all = Row(lambda at: _pod_set(at).fields["count"], bounds.size)
        handed((called(of_pods, {}, counts_of_all), everything), (most, steps))
        return SymToken(_tried_after(step.term))

    def fewer(_: State, of_all: Value, most: Value, then: Value) -> Value:
        handed((of_all, everything), (most, steps))
        known(FEWEST.of(_served(known_as(called(then, {}, most))), _served(chosen.term)))
        return chosen, trials

    def summed(_: State, reduced: Value) -> SymInt:
        each(reduced, lambda number: as_term(number, int), full - fewest)
        return steps

    def of(way: Way) -> Labelled:
        found, every_trial = way.value
        fewer_may = z3.And(gate, steps.term > 0)
        enough = z3.Or(_served(ALL_PODS.term), z3.Not(fewer_may))
        return [
            AGAIN.goal(z3.Or(_ALL, z3.And(fewer_may, _SOME)), _nothing(known_as(found))),
            ("fewer where these may find a place", z3.BoolVal(found is everything) == enough),
            ("every trial", same(every_trial, (everything,) if found is everything else trials)),
        ]

    fewest_do = z3.Implies(_SOME, _served(_tried_after(steps.term)))
    still = Taken(z3.And(z3.Implies(_ALL, _served(ALL_PODS.term)), fewest_do), *STILL_FOUND)
    yield from read_procedure(
        seeing(
            counts,
            partial=PARTIAL,
            _tried=Law(tried),
            _after=Law(after),
            sum=Law(summed),
            is_served=Law(lambda _, trial: SymBool(_served(known_as(trial)))),
            _fewer=Law(fewer),
        ),
        {"assigner": assigner, "search": asked},
        of,
        facts=(still, *(FINDS.of(_served(one.term), _nothing(one.term)) for one in (ALL_PODS, chosen))),
    )


_nothing = z3.Function("its decision finds nothing", INT, BOOL)


def _number_of(name: str, at: Any) -> SymOptional:
    there, number = z3.Function(f"has {name}", INT, BOOL), z3.Function(f"{name} of a pod set", INT, INT)
    return SymOptional(SymBool(there(at)), SymInt(number(at)))


def _pod_set(at: Any) -> Made:
    told = {name: _number_of(name, at) for name in ("full_count", "min_count")}
    return Made(PodSet, {"count": _number_of("count", at).value, **told})


def _bounds_of(at: Any) -> tuple[Any, Any]:
    """As many pods as a pod set may have, and as few."""
    pods = _pod_set(at).fields
    full = z3.If(pods["full_count"].present.term, pods["full_count"].value.term, pods["count"].term)
    return full, z3.If(pods["min_count"].present.term, pods["min_count"].value.term, full)


def _finds(function: Callable[..., Any]) -> Iterator[Part]:
    """Which outcomes say that the pods of a trial find a place."""
    assignment, size = _assignment("assignment"), z3.Int("count")
    calls = z3.And(*(assignment.fields[name].term for name in ("fits", "needs_preemption")))
    outcome = seeing(decide._outcome, Outcome=OUTCOMES)
    for there in (False, True):
        kept = Row(SymToken, size if there else z3.IntVal(0))
        found = Made(Selection, {"kept": kept}) if there else None

        def of(way: Way, kept: Row = kept) -> Labelled:
            comes_to = said(outcome, assignment=assignment, kept=kept)
            nothing = z3.And(*(comes_to != OUTCOMES.fields[name].term for name in ("FIT", "PREEMPT")))
            return [FINDS.goal(as_term(way.value, bool), nothing)]

        yield from read_procedure(
            seeing(function, bool=Law(lambda _, those: SymBool(there_is_one(those)))),
            {"trial": Made(Trial, {"assignment": assignment, "selection": found})},
            of,
            facts=(size >= 0, ASKED.of(there, calls)),
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
