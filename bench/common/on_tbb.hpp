#pragma once

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <oneapi/tbb/task_scheduler_observer.h>

#include <cstddef>
#include <utility>
#include <vector>

#include "pinning.hpp"
#include "program.hpp"

namespace bench {

inline const engine on_tbb{
    "tbb",
    {{"pin", "no", "no", "bind each thread to a CPU while it is in the arena", {"no", "yes"}}}};

/// oneTBB with a given number of threads, the caller included.
class tbb_threads {
 public:
  explicit tbb_threads(const program& with)
      : limit_(tbb::global_control::max_allowed_parallelism, with.workers()),
        arena_(static_cast<int>(with.workers())),
        pinning_(arena_, with.word("pin") == "yes") {}

  tbb::task_arena& arena() { return arena_; }

  /// Runs f() inside, the caller taking part.
  template <typename F>
  void run(F&& f) {
    arena_.execute(std::forward<F>(f));
  }

 private:
  class pinning : public tbb::task_scheduler_observer {
   public:
    pinning(tbb::task_arena& arena, bool wanted)
        : tbb::task_scheduler_observer(arena), cpus_(allowed_cpus()) {
      observe(wanted);
    }
    ~pinning() override { observe(false); }

    void on_scheduler_entry(bool /*is_worker*/) override {
      const int slot = tbb::this_task_arena::current_thread_index();
      pin_this_thread(cpus_[static_cast<std::size_t>(slot) % cpus_.size()]);
    }

   private:
    std::vector<unsigned> cpus_;
  };

  tbb::global_control limit_;
  tbb::task_arena arena_;
  pinning pinning_;
};

}  // namespace bench
