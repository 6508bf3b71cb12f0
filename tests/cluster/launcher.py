"""How ranks are started: what mpirun has to be told, and whether it starts anything here."""

import os
import re
import subprocess
import sys


class Launcher:
    def __init__(self, mpirun):
        self.mpirun = mpirun
        version = subprocess.run([mpirun, "--version"], capture_output=True, text=True, check=False).stdout
        # Open MPI wants to be told that more ranks than processors are meant, and that root means it.
        self.is_open_mpi = re.search("Open MPI|OpenRTE", version) is not None
        self.options = ["--oversubscribe", "--bind-to", "none"] if self.is_open_mpi else []
        self.environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}

    def command(self, ranks):
        """What stands before a program; nothing for 0 ranks."""
        return [self.mpirun, *self.options, "-np", str(ranks)] if ranks else []

    def require(self):
        """Ends with 77 where not even `true` can be started, for want of a network say: then nothing is said of ranks."""
        done = subprocess.run([*self.command(2), "true"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env=self.environment, timeout=60, check=False)
        if done.returncode != 0:
            print(f"skipped: {self.mpirun} starts nothing here:\n{done.stdout}")
            sys.exit(77)
