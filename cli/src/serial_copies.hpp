#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <evencube/workloads/workload.hpp>

#include "starting_line.hpp"

namespace evencube::cli {

/// The serial program as often as wished at once, each copy on a thread bound to a processing unit
/// and with the whole work: what the machine itself gives to so many programs that share nothing.
/// The first copy runs on the calling thread, as a serial program and worker 0 of a runtime do.
/// Each of the others is made by a thread of its own on the unit where it runs, so that its memory
/// is near. The threads stay, and what has not run yet runs once untimed: none pays for fresh
/// memory.
class serial_copies {
 public:
  using maker = std::function<std::unique_ptr<workloads::workload>()>;

  /// `make` is called for each copy but the first, which is `first`, when it is first needed, by
  /// the copy's own thread, never by two at once.
  serial_copies(workloads::workload& first, maker make);
  serial_copies(const serial_copies&) = delete;
  serial_copies& operator=(const serial_copies&) = delete;
  ~serial_copies();

  /// Wall time of one copy for each of `units` (numbers of the operating system), from the moment
  /// when all are awake to the end of the last, in seconds. A unit that the system refuses leaves
  /// its copy unbound. Throws what the workload throws, and usage_error that names --workers where
  /// threads cannot be started or memory does not suffice for several copies.
  [[nodiscard]] double time(std::span<const unsigned> units);

 private:
  class helper;

  void place(std::span<const unsigned> units);
  double race(std::size_t copies);

  workloads::workload& first_;
  maker make_;
  starting_line line_;
  std::size_t have_run_ = 0;                      // so many at once
  std::vector<std::unique_ptr<helper>> helpers_;  // the last: they use the others
};

}  // namespace evencube::cli
