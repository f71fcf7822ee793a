#!/bin/bash
# Runs an experiment in shards on a Slurm cluster, one task of a job array for each shard:
#
#     sbatch slurm.sh mine.yaml
#     sbatch --array=2,4 slurm.sh mine.yaml       # only these shards
#
# Copy this file, and add the options of your cluster, such as the partition, the time and the memory.
# docs/scale.md describes the rest.
#SBATCH --job-name=discoverybench
#SBATCH --array=1-4
#SBATCH --requeue
#SBATCH --open-mode=append

# Number of shards. It stays the same if the array has only some of them.
SHARDS=4
exec discoverybench run "$@" --shard "$SLURM_ARRAY_TASK_ID/$SHARDS"
