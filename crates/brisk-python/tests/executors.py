"""briskfs.distributed with Dask and MPI: a part of `scripts/test all`, which installs both.

The programs are the examples of docs/scale.md, with other directories and with small units.
"""

import os
import random
import signal
import sys
import threading
import unittest

from test_distributed import InData, in_time, recorded
from trees import large


class Executors(InData):
    def setUp(self):
        super().setUp()
        large(self.tree, dirs=300, files=20)

    def test_mpi(self):
        self.run_example(
            "mpiexec", "--allow-run-as-root", "--oversubscribe", "-n", "2",
            sys.executable, "-m", "mpi4py.futures", self.example("mpi4py"),
        )

    def test_dask_as_the_document_says(self):
        self.run_example(sys.executable, self.example("dask"))

    def test_workers_of_dask_that_die(self):
        from briskfs import distributed
        from dask.distributed import Client, LocalCluster

        kills = []
        is_over = threading.Event()

        def kill(cluster):
            """Kills a worker after every ten units."""
            while not is_over.is_set() and len(kills) < 4:
                in_time(lambda: is_over.is_set() or recorded(self.out) > 10 * (len(kills) + 1))
                workers = [nanny.pid for nanny in cluster.workers.values() if nanny.pid]
                if workers and not is_over.is_set():
                    kills.append(random.choice(workers))
                    os.kill(kills[-1], signal.SIGKILL)

        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
            with Client(cluster) as client:
                killer = threading.Thread(target=kill, args=[cluster])
                killer.start()
                scanned = distributed.scan(
                    self.tree, self.out, client.get_executor(retries=3), workers=2,
                    columns=["path", "type"], budget_entries=100,
                )
                is_over.set()
                killer.join()
        self.assertGreater(len(kills), 1)
        self.check(scanned.rows, scanned.parts)


if __name__ == "__main__":
    unittest.main()
