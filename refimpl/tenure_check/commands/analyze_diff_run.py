"""What `tenure analyze diff` does."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import typer

from tenure.as_json import as_json
from tenure.cli.before_after import (
    changed_name,
    folder_of,
    named_sides,
    objects_of,
    together,
)
from tenure.cli.exit_codes import ExitCode
from tenure.cli.inputs import changed, print_warnings, refuse_other_scheduler
from tenure.cli.inquiry import with_fair_sharing, with_flags
from tenure.cli.options import SchedulerFlags
from tenure.cli.output import Reporting, print_outline
from tenure.cli.revisions import bytes_named, parse_revision
from tenure.cli.terminal import choose_colour, progress
from tenure.edits import ManifestEdit
from tenure.errors import InputError, Problem, bad_input
from tenure.manifests import Place, SourcedObject, build, read_objects
from tenure.manifests.files import NOT_APPLIED, NOT_RENDERED, RENDERERS
from tenure.manifests.premises import premises_of_both, refuse_unstated
from tenure.manifests.releases import TargetKueue
from tenure.manifests.source_lines import SourceLines
from tenure.model import Cluster, WorkloadPriorityClass
from tenure.oracle.unmodelled import over_time
from tenure.resources import is_folder
from tenure_check.analysis.answer_cache import AnswerCache, with_solvers
from tenure_check.analysis.scopes import MatrixRequest
from tenure_check.commands.analyze_diff import ComparisonOptions, DifferenceInputs, VerdictOptions
from tenure_check.expectations.manifest_sources import rendered, words_of
from tenure_play.diff.difference import Side
from tenure_proofs.fingerprints import key_of

if TYPE_CHECKING:
    from tenure.oracle.tree import Tree
    from tenure.readings import Reading
    from tenure_check.analysis.change_examples import AnalyzedInput
    from tenure_check.analysis.change_verdict import FailOnChange
    from tenure_check.analysis.difference_answer import LoopChange, MatrixDifference
    from tenure_check.analysis.guarantees import NarrowCell
    from tenure_check.analysis.matrix import CellResult, Effort
    from tenure_check.analysis.prover import SolverProver
    from tenure_check.analysis.states import CellQuery
    from tenure_check.analysis.two_configurations import Configuration


def run_analyze_diff(
    *, inputs: DifferenceInputs, compared: ComparisonOptions, wanted: VerdictOptions
) -> None:
    """As `tenure_check.commands.analyze_diff.analyze_diff_command` documents it."""
    from tenure_check.analysis.change_report import TOOL, change_report
    from tenure_check.analysis.change_verdict import judged, verdict_outline
    from tenure_check.analysis.difference_answer import difference_outline
    from tenure_check.expectations.baseline import Baseline, load_baseline

    choose_colour(wanted.color)
    reporting = Reporting(wanted.report, TOOL)
    with reporting.of_bad_input():
        fail_on = [] if wanted.fail_on is None else kinds_named(wanted.fail_on)
        if wanted.baseline is not None and not fail_on:
            raise bad_input("--baseline", wanted.baseline, "--fail-on with it")
        if wanted.baseline == "":
            raise bad_input("--baseline", "", "a file that tenure analyze baseline wrote")
        baseline = Baseline() if wanted.baseline is None else load_baseline(wanted.baseline)
        answer, loops = difference_of(inputs, compared, fail_on)
    if fail_on:
        # What is accepted is left out where it is judged and shown; the record has everything.
        rest, left, uses = baseline.applied(answer, loops)
        verdict = judged(rest, fail_on, left).verdict
        assert verdict is not None
        verdict = replace(verdict, loops=tuple(loops), baseline=uses)
        answer, rest = (replace(one, verdict=verdict) for one in (answer, rest))
        outline = verdict_outline(rest, replace(verdict, loops=tuple(left)), premises=wanted.premises)
    else:
        rest, verdict = answer, None
        outline = difference_outline(answer, premises=wanted.premises)
    print_outline(wanted.output, "analyze-diff", outline, lambda: as_json(answer), answer.kueue)
    reporting.write(lambda _: change_report(rest, _file_named))
    if verdict is not None and verdict.result == "FAIL":
        raise typer.Exit(ExitCode.FOUND)
    if answer.is_open or (verdict is not None and verdict.result != "PASS"):
        raise typer.Exit(ExitCode.NOT_KNOWN)


def _file_named(file: str) -> str:
    """A file of a revision as it is called in a checkout."""
    revision = parse_revision(file)
    return file if revision is None else revision.path


def difference_of(
    inputs: DifferenceInputs, compared: ComparisonOptions, kinds: Sequence[FailOnChange]
) -> tuple[MatrixDifference, list[LoopChange]]:
    """The comparison, and the loops where they are among the kinds that are looked at.

    Raises:
        InputError: everything that is wrong in the input.
    """
    from tenure_check.analysis.matrix import Effort

    interpretation, flags = inputs.interpretation, inputs.flags
    before, after = _sides(inputs, compared.render or [])
    if kinds:
        named = inputs.sides or [""]
        for side, source in ((before, named[0]), (after, named[-1])):
            _refuse_unrendered(side, source)
    warnings = print_warnings((*before.loaded.warnings, *after.loaded.warnings))
    effort = Effort.of_states(compared.states, compared.seed, counts_victims=False)
    found = _difference(before, after, interpretation.chosen(), effort, flags, compared)
    clusters = before.loaded.cluster, after.loaded.cluster
    not_known = dict.fromkeys(touching.text for cluster in clusters for touching in over_time(cluster))
    answer = replace(
        found,
        kueue=after.loaded.cluster.settings.release,
        premises=(*found.premises, *premises_of_both(before.loaded, after.loaded)),
        warnings=tuple(warnings),
        not_known=tuple(not_known),
    )
    return answer, _loops(before, after, interpretation.chosen(), flags, kinds)


def kinds_named(text: str, option: str = "--fail-on") -> list[FailOnChange]:
    """The kinds of changes that an option names.

    Args:
        text: their names, with commas.
        option: what it is called.

    Raises:
        InputError: another name, or none: a variable that is not set must not switch a gate off.
    """
    from tenure_check.analysis.change_verdict import FailOnChange

    known = {kind.value: kind for kind in FailOnChange}
    names = [name.strip() for name in text.split(",")]
    for name in names:
        if name not in known:
            raise bad_input(option, name, f"one or several of {', '.join(known)}, with commas")
    return [known[name] for name in dict.fromkeys(names)]


def _loops(
    before: Side, after: Side, reading: Reading, flags: SchedulerFlags, fail_on: Sequence[FailOnChange]
) -> list[LoopChange]:
    """The changed trees in which theorems do not exclude loops, where --fail-on asks for them.

    Raises:
        InputError: a flag that a search for loops does not have.
    """
    from tenure_check.analysis.change_verdict import FailOnChange
    from tenure_check.analysis.closed_systems import with_gates
    from tenure_check.analysis.new_loops import new_loops

    if FailOnChange.NEW_LOOP not in fail_on:
        return []
    if flags.requeuing_timestamp is not None:
        expected = "a Configuration among the files, with --fail-on new-loop"
        raise bad_input("--requeuing-timestamp", flags.requeuing_timestamp, expected)
    one, other = (
        with_gates(with_fair_sharing(side.loaded.objects, flags.fair_sharing), side.loaded.flag_gates)
        for side in (before, after)
    )
    return list(new_loops(one, other, reading, progress))


def _sides(inputs: DifferenceInputs, render: Sequence[str]) -> tuple[Side, Side]:
    kueue, flags, edits = inputs.interpretation.target_kueue(inputs.flags), inputs.flags, inputs.edits.edits()
    named = named_sides(inputs.sides or [], inputs.example, inputs.beside or [], edits)
    common = read_objects(inputs.beside) if inputs.beside else ()
    (first, name), (last, other) = named[0], named[-1]
    objects = _objects(first, common, render)
    objects_after = _objects(last, common, render) if len(named) == 2 else objects
    if render:
        name, other = f"{name} (rendered)", f"{other} (rendered)"
    before = _side(name, objects, (), kueue, flags)
    after = _side(changed_name(other, edits), objects_after, edits, kueue, flags)
    return before, after


def _objects(source: str, common: Sequence[SourcedObject], render: Sequence[str]) -> list[SourcedObject]:
    """The objects of a side: its own, or what commands print that run in its folder."""
    if not render:
        return objects_of(source, common)
    place = Place(file=source)
    for command in render:
        words_of(command, "--render", place)
    with folder_of(source) as folder:
        found = [
            sourced
            for command in render
            for sourced in rendered(command, folder, where="--render", place=place)
        ]
    return list(together(found, common))


def _refuse_unrendered(side: Side, source: str) -> None:
    """Refuse to judge a folder of which a chart or an overlay is not read: it might do what must fail.

    Args:
        side: what was read.
        source: of the side, as it was typed.

    Raises:
        InputError: it has templates of queues, or a kustomization with patches.
    """
    for note in (sourced.note for sourced in side.loaded.objects):
        if NOT_APPLIED in note or NOT_RENDERED in note:
            found = (
                "templates of queues, which are not rendered"
                if NOT_RENDERED in note
                else f"a kustomization with patches, {NOT_APPLIED}"
            )
            example = _command_of(note, side, source)
            expected = f"--render with the command that renders them in the folder of each side{example}"
            raise InputError([Problem(side.words, found, f"{expected}, or a folder without")])


def _command_of(note: str, side: Side, source: str) -> str:
    """What renders the folder that a note names, as --render takes it; empty where it names none."""
    named = re.search(rf"({'|'.join(RENDERERS)}) (.+?) \|", note)
    if named is None:
        return ""
    command, folder = named[1], " ".join(shlex.split(named[2]))
    revision = parse_revision(side.words)
    # An overlay may name files outside of its folder, and of a revision only the path is there.
    of_root = f" of {revision.revision}:" if revision is not None and revision.path else ""
    if is_folder(source):
        folder = os.path.relpath(folder, source)
    return f", such as --render '{command} {folder}'{of_root}"


def _side(
    words: str,
    objects: Sequence[SourcedObject],
    edits: Sequence[ManifestEdit],
    kueue: TargetKueue,
    flags: SchedulerFlags,
) -> Side:
    settled = list(changed(objects, edits, kueue))
    loaded = with_flags(kueue.stamped(build(settled)), flags)
    refuse_other_scheduler(loaded)
    if not loaded.cluster.cluster_queues:
        raise bad_input(words, "no ClusterQueue", "the ClusterQueues of a configuration")
    refuse_unstated(loaded)
    return Side(words, replace(loaded, objects=tuple(settled)))


def _difference(
    before: Side,
    after: Side,
    reading: Reading,
    effort: Effort,
    flags: SchedulerFlags,
    wanted: ComparisonOptions,
) -> MatrixDifference:
    from tenure_check.analysis.difference_answer import MatrixDifference
    from tenure_check.analysis.priority_levels import classes_of, configuration_of, levels_of_both
    from tenure_check.analysis.two_configurations import Configuration

    both_loaded = before.loaded, after.loaded
    read = [(loaded.cluster, classes_of(loaded.objects)) for loaded in both_loaded]
    clusters, levels = [configuration_of(*each) for each in read], levels_of_both(read[0], read[1])
    objects = [[(sourced.file, sourced.object) for sourced in loaded.objects] for loaded in both_loaded]
    parts = (before.words, after.words, objects, wanted.nominal, wanted.scope)
    key = key_of("diff", parts, clusters, levels, reading, effort)
    one, other = (Configuration(*each, reading) for each in zip(clusters, levels, strict=True))
    made = partial(_compared, (before, after), (one, other), effort, flags, wanted)
    return AnswerCache(MatrixDifference, wanted=not wanted.no_cache).once(key, made)


def _compared(
    inputs: tuple[Side, Side],
    configured: tuple[Configuration, Configuration],
    effort: Effort,
    flags: SchedulerFlags,
    wanted: ComparisonOptions,
) -> MatrixDifference:
    from tenure_check.analysis.change_examples import AnalyzedInput
    from tenure_check.analysis.difference import matrix_difference
    from tenure_check.analysis.fields import ConfigurationObjects
    from tenure_check.analysis.guarantee_difference import conditions_of, shared_cells
    from tenure_check.analysis.priority_levels import classes_of, configuration_of
    from tenure_check.analysis.two_configurations import TwoConfigurations

    one, other = configured
    queues, reading = {name for side in configured for name in side.cluster.cluster_queues}, one.reading
    total = (len(queues) * len(one.levels)) ** 2
    changed_queues = TwoConfigurations(one, other, wanted.scope).changed_queues
    one, other = (side.of_queues(changed_queues) for side in configured)
    both = TwoConfigurations(one, other, wanted.scope)
    release = inputs[0].loaded.cluster.settings.release

    def rebuilt(changed_objects: Sequence[SourcedObject]) -> tuple[Cluster, list[WorkloadPriorityClass]]:
        loaded = with_flags(build(changed_objects), flags)
        classes = classes_of(changed_objects)
        settings = replace(loaded.cluster.settings, release=release)
        return configuration_of(replace(loaded.cluster, settings=settings), classes), classes

    with with_solvers() as (analyzed, versions):
        request = MatrixRequest(scope=wanted.scope)
        found = [analyzed(one.cluster, one.levels, reading, effort, request)]
        # Most of what happened before still does: random states, and solvers, are for what the edit touches.
        shown = (cell.example.request for cell in found[0][0].settled.values() if cell.example is not None)
        again = both.moved_there(shown)
        found.append(analyzed(other.cluster, other.levels, reading, effort, replace(request, known=again)))
        sides = [
            AnalyzedInput(side.words, ConfigurationObjects(side.loaded.objects), known, matrix)
            for side, known, (matrix, _) in zip(inputs, both.sides, found, strict=True)
        ]
        shared = shared_cells(sides[0], sides[1], nominal=wanted.nominal)
        narrowed = [
            _narrowed(side, conditions_of(shared, home), provers, effort)
            for home, (side, (_, provers)) in enumerate(zip(sides, found, strict=True))
        ]
    lines = SourceLines(bytes_named)
    return matrix_difference(
        sides[0], sides[1], rebuilt, lines, (shared, (narrowed[0], narrowed[1])), effort.seed, versions, total
    )


def _narrowed(
    side: AnalyzedInput,
    wanted: Mapping[CellQuery, Sequence[NarrowCell]],
    provers: Mapping[str, tuple[Tree, SolverProver]],
    effort: Effort,
) -> Mapping[NarrowCell, CellResult]:
    """What is known of some conditions on a side; its matrix has shown most of them already."""
    from tenure_check.analysis.guarantees import settle_conditions

    preemptors = {cell.preemptor for cell in wanted}
    narrowers = {name: known for name, known in provers.items() if name in preemptors}
    configured, fewer = side.configured, replace(effort, fewest=effort.fewest // 4)
    return settle_conditions(configured.cluster, side.matrix, configured.reading, narrowers, fewer, wanted)
