#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <evencube/workloads/workload.hpp>

#include "starting_line.hpp"

namespace evencube::cli {

/// Runs several copies of the serial program at once, each on a thread bound to a processing unit
/// and with the whole work. Their time shows what the machine itself gives to that number of
/// programs that share nothing.
///
/// The first copy runs on the calling thread, as a serial program and worker 0 of a runtime do.
/// Every other copy is made by its own thread on the unit where it runs, so that its memory is
/// near. The threads are kept, and a copy that has not run yet runs once untimed, so that no timed
/// run pays for fresh memory.
class serial_copies {
 public:
  using maker = std::function<std::unique_ptr<workloads::workload>()>;

  /// The first copy is `first`. `make` is called for each further copy when that copy is first
  /// needed, by the copy's own thread, and never by two threads at once.
  serial_copies(workloads::workload& first, maker make);
  serial_copies(const serial_copies&) = delete;
  serial_copies& operator=(const serial_copies&) = delete;
  ~serial_copies();

  /// Wall time in seconds of one copy for each of `units` (numbers of the operating system), from
  /// the moment when all copies are awake to the end of the last. If the system refuses a unit, its
  /// copy is not bound. Throws what the workload throws. Throws usage_error that names --workers if
  /// threads cannot be started or memory does not suffice for several copies.
  [[nodiscard]] double time(std::span<const unsigned> units);

 private:
  class helper;

  void place(std::span<const unsigned> units);
  double race(std::size_t copies);

  workloads::workload& first_;
  maker make_;
  starting_line line_;
  std::size_t have_run_ = 0;                      // most copies that have run at once
  std::vector<std::unique_ptr<helper>> helpers_;  // the last member: it uses the others
};

}  // namespace evencube::cli
