"""Questions of a case to a session, and its answers as JSON has them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tenure.kai import entries
from tenure.kai.resolver import path_of
from tenure.kai.session import Session
from tenure.model import Action

Object = dict[str, Any]
Fields = Mapping[str, Any]


def pair(raw: Fields) -> tuple[Action, str, str]:
    """`action`, `preemptor` and `victim`."""
    return entries.action(raw), entries.text(raw, "preemptor"), entries.text(raw, "victim")


def resolved(session: Session, raw: Fields) -> Object:
    """`resolve`: the minimum runtime between two queues, and whether one of them is missing."""
    action = entries.action(raw)
    pending, victim = (entries.optional_text(raw, key) for key in ("preemptorQueue", "victimQueue"))
    found = session.resolve(action, pending, victim)
    return {"error": bool(found.missing), "minRuntimeNs": found.min_runtime}


def path(session: Session, raw: Fields) -> Object:
    """`path`: a queue and those above it, the top first."""
    found = path_of(session.scene.queues, entries.text(raw, "victimQueue"))
    return {"path": [each.name for each in found]}


def filtered(session: Session, raw: Fields) -> Object:
    """`filter` alone, as a step asks it: nothing besides is asked, so nothing besides is remembered."""
    return {"filter": session.filter(*pair(raw)).passes}


def filtered_whole(session: Session, raw: Fields) -> Object:
    """`filter` with what it comes from, of a session that is asked nothing else."""
    action, pending, victim = pair(raw)
    said = session.filter(action, pending, victim)
    protection = session.protection(action, pending, victim)
    resolution = session.resolve(action, session.job(pending).queue, session.job(victim).queue)
    return {
        "elastic": said.elastic,
        "filter": said.passes,
        "minRuntimeNs": resolution.min_runtime,
        "protected": protection.protected,
    }


def protected(session: Session, raw: Fields) -> Object:
    """`protected`, asked directly, even of an elastic job."""
    return {"protected": session.protection(*pair(raw)).protected}


def validated(session: Session, raw: Fields) -> Object:
    """`validate`: whether a scenario may stand."""
    said = session.validate(entries.action(raw), entries.text(raw, "preemptor"), entries.victims(raw))
    return {"validator": said.stands}
