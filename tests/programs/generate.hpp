#pragma once

#include <cstdint>

#include "program.hpp"

namespace evencube::programs {

/// What programs may be made of, beside what they always are.
struct features {
  bool polling = true;        ///< outside threads poll instead of waiting; futures are dropped
  bool outliving = true;      ///< futures are asked, and waited for, when the runtime is gone
  bool holds = true;          ///< hold(), recordings
  bool exceptions = true;     ///< tasks throw
  bool stops = true;          ///< groups are stopped
  bool algorithms = true;     ///< more than parallel_for and parallel_reduce
  bool continuations = true;  ///< futures are made from others
  bool graphs = true;
  bool values = true;  ///< values go along edges of graphs
  bool pipelines = true;
  bool priorities = true;  ///< tasks are of high and of low priority
  bool coroutines = true;
  bool blocking = true;   ///< tasks block in scopes; runtimes have spare workers
  bool endings = true;    ///< runtimes are stopped
  bool observers = true;  ///< runtimes tell what they do
  bool arenas = true;     ///< run() in arenas
  bool children = true;   ///< fork(), in tasks, too, and while somebody holds a runtime
  bool guests = true;     ///< groups that outlive a runtime, thread_local objects that use one,
                          ///< floods of tasks from blocking scopes, std::exit, coroutines that go
                          ///< to and fro between two runtimes
  bool bursts = true;     ///< tasks come from outside beside others that spawn themselves again
};

/// The program of a seed, on a runtime of `workers` workers, and perhaps another one. Every wait in
/// it must end.
///
/// That is so by construction. Shared groups are numbered, and what a task may wait for depends on
/// its level: it waits only for groups of a lower number than its level, and only for futures whose
/// level is not above its own and which, were the program run serially (each task at once, where it
/// is spawned), would have ended by then. The tasks of group k have level k at most, other tasks
/// that of their parent at most. So from each wait to those that it waits for, the level falls, or
/// it stays and the serial time falls: no chain of waits comes back to itself. A future that is
/// made from others waits for them, which are of its level at most and were made before it. A
/// stopped group takes tasks away that nobody but its own wait waits for. The nodes of a graph,
/// drawn in an order that its edges allow, and the stages of a pipeline are like the halves of a
/// fork. What a coroutine awaits it might as well wait for. In a
/// blocking scope a task waits only for what threads outside do, or for the second runtime. Tasks
/// that wait for one another in such scopes are as many as the threads that can run them at a time,
/// and nothing else waits for them. What is not a wait but may block is kept apart: a flag is
/// raised by a thread that does nothing before but spawn into runtimes with room; a thread that
/// holds a runtime does nothing that waits; and of two runtimes only the tasks of the first call
/// the second, except in programs that nobody holds.
program generate(std::uint64_t seed, unsigned workers, const features& with = {});

}  // namespace evencube::programs
