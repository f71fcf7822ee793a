"""DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""

from inspect_discoverybench.tasks import custom, demo, judge_audit, real, synth, synth_generate

__all__ = ["custom", "demo", "judge_audit", "real", "synth", "synth_generate"]
