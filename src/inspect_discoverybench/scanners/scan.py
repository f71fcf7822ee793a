"""The scan job `discoverybench/scan`: all scanners, as in `evals/scan.yaml`."""

import yaml
from inspect_scout import ScanJob, ScanJobConfig, scanjob

from inspect_discoverybench.sandbox import shipped


@scanjob
def scan() -> ScanJob:
    """All scanners of this package."""
    config = yaml.safe_load(shipped("evals/scan.yaml").read_text("utf-8"))
    return ScanJob.from_config(ScanJobConfig.model_validate(config))
