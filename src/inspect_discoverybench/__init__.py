"""DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""

from importlib import import_module

# Python binds a subpackage to its name on the first import. Import those that share their name with a task before the
# tasks, so that the names are the tasks.
import_module("inspect_discoverybench.judge_audit")
import_module("inspect_discoverybench.synth")

from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth, synth_generate  # noqa: E402

__all__ = ["custom", "demo", "judge_audit", "real", "synth", "synth_generate"]
