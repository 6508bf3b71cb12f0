#!/usr/bin/env python3
"""The layering check passes a clean tree and finds every kind of violation seeded in it."""

import unittest

import layering
from trees import complaints_in

CLEAN = {
    "balancers/include/evencube/balancers/plan.hpp": "#include <vector>\n",
    "balancers/src/dem.cpp": '#include <evencube/balancers/plan.hpp>\n#include "dem.hpp"\n',
    "balancers/src/dem.hpp": "#include <span>\n",
    "runtime/include/evencube/runtime.hpp": "#include <evencube/balancers/plan.hpp>\n",
    "runtime/src/machine/hwloc_inventory.cpp": "#include <hwloc.h>\n#include <thread>\n",
    "runtime/src/machine/machine.cpp": "#include <thread>\n#if defined(__x86_64__)\n#endif\n",
    "runtime/src/platform/linux/sleep.cpp": "#include <linux/futex.h>\n#ifdef __linux__\n#endif\n",
    "algorithms/include/evencube/sort.hpp": "#include <evencube/runtime.hpp>\n",
    "workloads/include/evencube/workloads/edges.hpp": "#include <evencube/runtime.hpp>\n",
    "papers/include/evencube/papers/reproduction.hpp": "#include <evencube/workloads/edges.hpp>\n",
    "cli/src/main.cpp": "#include <evencube/version.hpp>\n#include <evencube/papers/reproduction.hpp>\n#include <fmt/core.h>\n",
    "tests/balancers/dem_test.cpp": '#include "dem.hpp"\n',
}

# (file, a line added to it, a piece of the complaint)
SEEDED = [
    ("balancers/src/dem.cpp", "#include <evencube/runtime.hpp>", "which balancers/ must not know"),
    ("balancers/src/dem.cpp", "#include <fmt/core.h>", "is not standard"),
    ("balancers/src/dem.cpp", "  #  include <mutex>", "without threads"),
    ("balancers/include/evencube/balancers/plan.hpp", '#include "dem.hpp"', "which is private"),
    ("balancers/src/dem.cpp", '#include "machine/machine.hpp"', "is no private file of balancers/"),
    ("runtime/src/machine/machine.cpp", "#include <evencube/workloads/edges.hpp>", "which runtime/ must not know"),
    ("workloads/include/evencube/workloads/edges.hpp", "#include <evencube/papers/reproduction.hpp>",
     "which workloads/ must not know"),
    ("runtime/src/machine/machine.cpp", "#include <evencube/gone.hpp>", "no public header"),
    ("runtime/src/machine/machine.cpp", "#include <unistd.h>", "is not standard: what the runtime asks"),
    ("runtime/src/machine/machine.cpp", "#include <hwloc.h>", "is not standard: what the runtime asks"),
    ("runtime/src/machine/machine.cpp", "#if defined(__x86_64__) && defined(__linux__)", "asks which system this is"),
    ("runtime/include/evencube/runtime.hpp", "#ifdef _WIN32", "asks which system this is"),
    ("runtime/include/evencube/runtime.hpp", "#include <evencube/sort.hpp>", "which runtime/ must not know"),
    ("runtime/include/evencube/runtime.hpp", "#include <hwloc.h>", "users would need it too"),
    ("runtime/include/evencube/runtime.hpp", "#include <boost/lockfree/queue.hpp>", "users would need it too"),
    ("runtime/include/evencube/runtime.hpp", "#include <tbb/task.h>", "users would need it too"),
    ("balancers/src/dem.cpp", '#include "../include/evencube/balancers/plan.hpp"', "include it as <evencube/...>"),
]


class LayeringTest(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual(complaints_in(CLEAN, layering.violations), [])

    def test_every_seeded_violation_is_found_where_it_stands(self):
        for name, line, complaint in SEEDED:
            with self.subTest(file=name, line=line):
                found = complaints_in({**CLEAN, name: CLEAN[name] + line + "\n"}, layering.violations)
                number = CLEAN[name].count("\n") + 1
                self.assertEqual(len(found), 1, found)
                self.assertIn(f"{name}:{number}: ", found[0])
                self.assertIn(complaint, found[0])


if __name__ == "__main__":
    unittest.main()
