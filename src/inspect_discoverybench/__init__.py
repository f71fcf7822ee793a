"""DiscoveryBench for Inspect AI: can language-model agents make data-driven discoveries?"""

from inspect_discoverybench.tasks import demo, real

__all__ = ["demo", "real"]
