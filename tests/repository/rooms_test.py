#!/usr/bin/env python3
"""The check of the runtime's rooms passes a clean tree and finds every kind of fault seeded in it."""

import unittest

import rooms
from trees import complaints_in

CLEAN = {
    "sync/parking.hpp": "#pragma once\n",
    "wait/waiting.hpp": '#include "sync/parking.hpp"\n',
    "wait/waiting-inl.hpp": '#include "engine/workers.hpp"\n',
    "engine/workers.hpp": '#include "wait/waiting.hpp"\n',
}

# (file, a line added to it, a piece of a complaint)
SEEDED = [
    ("sync/parking.hpp", '#include "wait/waiting.hpp"', "sync and wait include each other"),
    ("wait/waiting.hpp", '#include "engine/workers.hpp"', "wait includes the engine"),
    ("sync/parking.hpp", '#include "engine/workers.hpp"', "in a cycle of includes"),
    ("wait/waiting.hpp", '#include "gone/gone.hpp"', "which is no room"),
]


RUNTIME = {
    "src/sync/parking.hpp": "/// A worker parks.\nclass parking {\n  int bits_{0};\n};\n",
    "src/queues/README.md": "[deque.hpp](../../include/evencube/detail/deque.hpp)\n",
    "src/engine/workers.hpp": '#include "sync/parking.hpp"\nclass basic_workers {\n  basic_entrance entrance_;\n};\n',
    "include/evencube/detail/deque.hpp": "#include <evencube/detail/engine_fwd.hpp>\n#include <evencube/detail/ring.hpp>\nclass basic_deque {\n};\n",
    "include/evencube/detail/ring.hpp": "class ring {\n};\n",
    "include/evencube/detail/engine_fwd.hpp": "template <typename Policy>\nclass basic_worker;\n",
    "include/evencube/detail/worker.hpp": "template <typename Policy>\nclass basic_worker : public runner {\n public:\n"
                                          "  int size() const { return 1; }\n  basic_worker& operator=(const basic_worker&) = delete;\n"
                                          " private:\n  static constexpr int most = 3;\n  alignas(128) parking bell_;\n};\n",
}
RUNTIME["README.md"] = "| 1 | sleeps | `parking`, `bits_` | [parking](src/sync/parking.hpp) |\n"
THIRTEEN = "".join(f"  std::atomic<int> m{i}_{{0}};\n" for i in range(13))

# (file, its text from now on, a piece of a complaint)
SEEDED_PARTS = [
    ("src/sync/parking.hpp", "class parking {\n  worker* who_ = nullptr;\n};\n", "src/sync/parking.hpp: names `worker`"),
    ("src/sync/parking.hpp", '#include "engine/workers.hpp"\n', "src/sync/parking.hpp: names `workers`"),
    ("include/evencube/detail/deque.hpp", "void share(basic_worker<P>& by);\n", "detail/deque.hpp: names `basic_worker`"),
    ("README.md", "| 1 | sleeps | `lie_down` | [parking](src/sync/parking.hpp) |\n", "`lie_down` is not in src/sync/parking.hpp"),
    ("README.md", "| 1 | sleeps | `parking` | [parking](src/sync/bed.hpp) |\n", "`parking` is not in src/sync/bed.hpp"),
    ("include/evencube/detail/ring.hpp", "void give(basic_worker<P>& by);\n", "detail/ring.hpp: names `basic_worker`"),
    ("src/sync/parking.hpp", "class parking {\n" + THIRTEEN + "};\n", "parking has 13 data members"),
    ("src/sync/bed.hpp", "class basic_bed {\n  struct sleeper {\n" + THIRTEEN + "  };\n};\n", "sleeper has 13 data members"),
    ("include/evencube/detail/worker.hpp", "class basic_worker {\n" + THIRTEEN + "};\n", "basic_worker has 13 data members"),
    ("src/engine/workers.hpp", "class basic_workers {\n" + THIRTEEN + "};\n", "basic_workers has 13 data members"),
]


class RoomsTest(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual(complaints_in(CLEAN, rooms.faults), [])

    def test_a_tree_without_arrows_does_not(self):
        self.assertEqual(len(complaints_in({"sync/parking.hpp": ""}, rooms.faults)), 1)

    def test_every_seeded_fault_is_found(self):
        for name, line, complaint in SEEDED:
            with self.subTest(file=name, line=line):
                self.assertIn(complaint, "\n".join(complaints_in({**CLEAN, name: CLEAN[name] + line + "\n"}, rooms.faults)))

    def test_a_clean_runtime_passes(self):
        self.assertEqual(complaints_in(RUNTIME, lambda root: rooms.faults(root / "src")), [])

    def test_counters_may_be_many(self):
        worker = RUNTIME["include/evencube/detail/worker.hpp"].replace("parking bell_", "worker_counters counters_")
        tree = {**RUNTIME, "include/evencube/detail/worker.hpp": worker,
                "include/evencube/detail/counters.hpp": "struct worker_counters {\n" + THIRTEEN + "};\n"}
        self.assertEqual(complaints_in(tree, lambda root: rooms.faults(root / "src")), [])

    def test_every_fault_of_parts_is_found(self):
        for name, text, complaint in SEEDED_PARTS:
            with self.subTest(file=name, complaint=complaint):
                found = complaints_in({**RUNTIME, name: text}, lambda root: rooms.faults(root / "src"))
                self.assertIn(complaint, "\n".join(found))

    def test_parts_of_a_rank_are_small_and_on_the_map(self):
        twelve = "".join(f"  std::map<int, std::optional<int>> m{i}_ EVENCUBE_GUARDED_BY(shared_data) = f({i});\n" for i in range(12))
        part = "class EVENCUBE_CHECKED(scoped_lockable) part {\n  int size() EVENCUBE_REQUIRES(the_turn, shared_data);\n" + twelve
        tree = {"cluster/src/part.hpp": part + "};\n", "cluster/README.md": "| [part](src/part.hpp) |\n"}
        self.assertEqual(complaints_in(tree, rooms.faults_of_cluster), [])
        for name, text, complaint in (
            ("cluster/src/part.hpp", part + "  outbox more_ EVENCUBE_GUARDED_BY(the_turn);\n};\n", "part has 13 data members"),
            ("cluster/src/part.hpp", part + "  rank_core& more_;\n};\n", "part has 13 data members"),
            ("cluster/src/other.hpp", "", "does not name src/other.hpp"),
            ("cluster/README.md", "", "does not name src/part.hpp"),
        ):
            with self.subTest(file=name, complaint=complaint):
                self.assertIn(complaint, "\n".join(complaints_in({**tree, name: text}, rooms.faults_of_cluster)))

    def test_every_test_is_in_a_folder_that_is_a_room(self):
        tree = {"runtime/src/sync/parking.hpp": "", "tests/runtime/sync/parking_test.cpp": "", "tests/runtime/deadline.hpp": "",
                "tests/protocols/algorithms/sweeps_test.cpp": ""}
        self.assertEqual(complaints_in(tree, rooms.faults_of_tests), [])
        for misplaced in ("tests/runtime/parking_test.cpp", "tests/protocols/beds/parking_test.cpp", "tests/runtime/sync/deep/bed_test.cpp",
                          "tests/runtime/algorithms/sweeps_test.cpp"):
            with self.subTest(file=misplaced):
                self.assertEqual([line.split(":")[0] for line in complaints_in({**tree, misplaced: ""}, rooms.faults_of_tests)], [misplaced])

    def test_members_are_told_from_other_declarations(self):
        text = """template <typename T>
class part final : public base {
 public:
  explicit part(int n) : n_(n) { call(); }
  [[nodiscard]] int n() const noexcept { return n_; }
  static constexpr int most = 3;
  struct inner {
    int a;
  };
  using type = int;

 private:
  void call(int = 1);
  int n_ = 0;  // not m_
  std::vector<std::pair<int, int>> all_;
  typename T::template atomic<bool> flag_{false};
};
"""
        self.assertEqual({name: [member for _, member in members] for name, members in rooms.classes_of(text).items()},
                         {"part": ["n_", "all_", "flag_"], "inner": ["a"]})

    def test_rooms_have_levels(self):
        self.assertEqual(rooms.levels_of({"engine": {"wait"}, "wait": {"sync"}, "sync": set()}), {"sync": 0, "wait": 1, "engine": 2})


if __name__ == "__main__":
    unittest.main()
