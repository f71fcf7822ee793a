"""DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""

from inspect_discoverybench.tasks import custom, demo, real, synth

__all__ = ["custom", "demo", "real", "synth"]
