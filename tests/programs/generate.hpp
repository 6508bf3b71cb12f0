#pragma once

#include <cstdint>

#include "program.hpp"

namespace evencube::programs {

/// The optional features of programs, in addition to what all programs have.
struct features {
  bool polling = true;        ///< outside threads poll instead of waiting; futures are dropped
  bool outliving = true;      ///< futures are asked, and waited for, after the runtime is gone
  bool holds = true;          ///< hold(), recordings
  bool exceptions = true;     ///< tasks throw
  bool stops = true;          ///< groups are stopped
  bool algorithms = true;     ///< algorithms other than parallel_for and parallel_reduce
  bool continuations = true;  ///< futures are made from other futures
  bool graphs = true;
  bool values = true;  ///< values go along edges of graphs
  bool pipelines = true;
  bool priorities = true;  ///< tasks have high and low priority
  bool coroutines = true;
  bool blocking = true;   ///< tasks block in scopes; runtimes have spare workers
  bool endings = true;    ///< runtimes are stopped
  bool observers = true;  ///< runtimes report to observers
  bool arenas = true;     ///< run() in arenas
  bool children = true;   ///< fork(), even in tasks, and while a thread holds a runtime
  bool guests = true;     ///< groups that outlive a runtime, thread_local objects that use one,
                          ///< floods of tasks from blocking scopes, std::exit, coroutines that go
                          ///< to and fro between two runtimes
  bool promises = true;   ///< code that is no task sets the values of futures
  bool limits = true;     ///< calls of run() give up after a time; futures and coroutines race
  bool bursts = true;     ///< tasks come from outside next to tasks that spawn themselves again
};

/// The program of a seed, on a runtime of `workers` workers and perhaps a second runtime. Every
/// wait in it must end.
///
/// Every wait ends by construction. Shared groups are numbered, and a task's level limits its
/// waits. A task waits only for groups whose number is lower than its level. It waits only for
/// futures whose level is not above its own and which would have ended by then if the program ran
/// serially (each task at once, where it is spawned). The tasks of group k have at most level k,
/// other tasks at most the level of their parent. So from each wait to the tasks it waits for, the
/// level falls, or the level stays and the serial time falls: no chain of waits comes back to
/// itself.
///
/// A future that is made from others waits for these futures, which have at most its level and were
/// made before it. A stopped group drops tasks for which only its own wait waits. The nodes of a
/// graph, drawn in an order that its edges allow, and the stages of a pipeline are like the halves
/// of a fork. A coroutine awaits only what it might as well wait for.
///
/// In a blocking scope, a task waits only for threads outside, or for the second runtime. There are
/// as many tasks that wait for one another in such scopes as threads that can run them at a time,
/// and nothing else waits for these tasks. Steps that may block without a wait are kept apart: a
/// flag is raised by a thread that before only spawns into runtimes with room; a thread that holds
/// a runtime does nothing that waits; and of two runtimes, only the tasks of the first call the
/// second, except in programs without holds.
program generate(std::uint64_t seed, unsigned workers, const features& with = {});

}  // namespace evencube::programs
