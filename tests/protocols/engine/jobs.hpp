#pragma once

// The tasks of scenes with the shipped engine.

#include "explored_engine.hpp"

namespace evencube::test {

using explorer::explored;
using explorer::require;

/// The last one to arrive stops the engine.
class countdown {
 public:
  countdown(unsigned n, explored_engine& engine) : left_(n), engine_(engine) {}
  void one_less() {
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) engine_.stop();
  }

 private:
  explorer::atomic<unsigned> left_;
  explored_engine& engine_;
};

/// A task with data that its maker writes; the end of the task is counted.
struct counted_job {
  explicit counted_job(countdown& of) : left(of) {}
  void check_run() const { require(runs == 1, "the task was lost or run twice"); }

  countdown& left;
  explored::plain<unsigned> carried{0};
  explored::plain<unsigned> runs{0};
  job work{[this](engine_worker&) {
    require(carried == 1, "what the task carries is not there");
    ++runs;
    left.one_less();
  }};
};

/// A task of a group, made outside, that writes a result for the waiter.
struct awaited_job {
  explicit awaited_job(explored_engine& engine) : group(engine.workers(), nullptr) {
    work.parent_ = &group;
    group.add(nullptr);
  }
  engine_group group;
  /// Written by the maker of the task, read by the worker that runs it.
  explored::plain<unsigned> carried{0};
  explored::plain<unsigned> result{0};
  job work{[this](engine_worker& by) {
    require(carried == 1, "what the task carries is not there");
    require(result == 0, "the task ran twice");
    result = 1;
    group.finish(&by);
  }};
};

}  // namespace evencube::test
