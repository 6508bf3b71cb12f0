#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <evencube/algorithms.hpp>
#include <evencube/coroutine.hpp>
#include <evencube/evencube.hpp>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "program.hpp"
#include "watcher.hpp"

namespace evencube::programs {

/// A mistake made on purpose, to show that the checks find it.
enum class mistake : std::uint8_t {
  none,
  drop_task,       ///< the task is never spawned
  run_task_twice,  ///< it is spawned twice
  lose_exception,  ///< it does not throw what it should
  other_result,    ///< a future's value is another one
  stay_for_ever,   ///< it never ends
  skip_wait,       ///< nobody waits where somebody should
  call_in_spite,   ///< what continues a future is called though that ended with an exception
  begin_early,     ///< it is called when that has not ended
  forget_stop,     ///< a group is not stopped
  run_barred,      ///< a task runs that was spawned into a stopped group
  drop_unasked,    ///< one is dropped though nobody stopped its group
  skip_iteration,  ///< a loop leaves out one of its iterations
  spoil_result,    ///< an algorithm gives something else
  skip_node,       ///< a node of a graph does nothing
  lose_edge,       ///< a graph lacks an edge
  lose_token,      ///< a graph runs without the token that stops it
  lose_value,      ///< a value does not enter a pipeline
  more_tokens,     ///< a pipeline has one token more than it should
  lose_order,      ///< a stage that is to keep the order does not
  skip_await,      ///< a coroutine goes on without the future that it awaits
  lose_part,       ///< one of several coroutines never begins
  forget_others,   ///< the first of several coroutines stops another race
  stay_here,       ///< a coroutine does not go to the other runtime
  end_early,       ///< the future of a coroutine is ready before that has ended
  stay_inside,     ///< a task that blocks is in no scope
  lose_gathered,   ///< one that a worker does not count
  forget_end,      ///< a runtime is not stopped
  spoil_value,     ///< a node of a graph gives another value
  tell_less,       ///< an observer forgets what it was told
  keep_stop,       ///< a group that is used again is still stopped
  old_body,        ///< a loop calls its body as it was before
  copied_body      ///< a loop calls a copy of what may not be copied
};

struct mutation {
  mistake what = mistake::none;
  int at = 0;  ///< the first task, counted from 0, with which the mistake can be made
};

/// One that a program runs on.
struct runtime_in_use {
  runtime* rt = nullptr;
  std::shared_ptr<watcher> watching;
  bool tells_of_tasks = false;
};

/// The runtimes of programs: kept from one program to the next, or made for one.
class runtime_store {
 public:
  runtime_store() = default;
  runtime_store(const runtime_store&) = delete;
  runtime_store& operator=(const runtime_store&) = delete;
  /// Destroys the others, and leaves those of static storage to the end of the process.
  ~runtime_store();
  /// Makes or finds those that `p` asks for.
  std::vector<runtime_in_use> acquire(const program& p);
  /// Destroys those made for the last program alone, the first of them first.
  void end_fresh();
  /// What all that there are say of themselves; for the watchdog, from any thread.
  [[nodiscard]] std::string describe() const;

 private:
  struct entry {
    setting made_as;
    std::unique_ptr<runtime> rt;
    std::shared_ptr<watcher> watching;
    int place = 0;      ///< its index among the runtimes of every program that uses it
    int taken_as = -1;  ///< the same while a program does
  };
  static std::unique_ptr<runtime> make(const setting& s, const std::shared_ptr<watcher>& watching);
  /// One of those that are kept, made if there is none yet.
  runtime_in_use keep(const setting& s, int as);
  void forget(std::ptrdiff_t index);

  // Guards the lists for `describe`; the runtimes are made and destroyed outside of it.
  mutable std::mutex mutex_;
  std::vector<entry> kept_;
  std::vector<std::unique_ptr<runtime>> fresh_;
};

/// Grows whenever a task of any program begins or ends.
std::atomic<std::uint64_t>& progress();

/// Runs `p` once. What went otherwise than it must; nothing if all was well. Hangs where the
/// runtime does.
std::optional<std::string> run_and_check(const program& p, runtime_store& store,
                                         const mutation& wrong = {});

}  // namespace evencube::programs
