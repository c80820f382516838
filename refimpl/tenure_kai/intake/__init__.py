"""Untrusted manifests of KAI-Scheduler to what a session looks at."""

from tenure_kai.intake.load import load_scene, scene_of_objects

__all__ = ["load_scene", "scene_of_objects"]
