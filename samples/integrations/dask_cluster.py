"""A program tuned by the workers of a Dask cluster that runs already; here its two processes are on this machine.

pip install 'tunepass[dask]', and gcc
python samples/integrations/dask_cluster.py
"""

import subprocess
import sys
from pathlib import Path

from distributed import LocalCluster

PROGRAM = str(Path(__file__).with_name("program.c"))


def main() -> None:
    """Give the command the scheduler's address; a SLURMCluster or a KubeCluster has one too."""
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", silence_logs=50) as cluster:
        where = ["--executor", "dask", "--scheduler", cluster.scheduler_address]
        command = [sys.executable, "-m", "tunepass", "build", PROGRAM, "-o", "tuned", "--max-evals", "5"]
        subprocess.run([*command, "--strategy", "exhaustive", *where, "--", "gcc", "-O2"], check=True)


if __name__ == "__main__":  # the processes of the cluster import this file
    main()
