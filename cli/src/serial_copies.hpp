#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <evencube/workloads/workload.hpp>

namespace evencube::cli {

/// The serial program as often as wished at once, each copy on a thread bound to a processing unit
/// and with the whole work: what the machine itself gives to so many programs that share nothing.
/// The first copy runs on the calling thread, as a serial program and worker 0 of a runtime do; the
/// threads of the others stay, so that none pays for fresh memory every time.
class serial_copies {
 public:
  using maker = std::function<std::unique_ptr<workloads::workload>()>;

  /// `make` is called for each copy but the first, which is `first`, when it is first needed.
  serial_copies(workloads::workload& first, maker make);
  serial_copies(const serial_copies&) = delete;
  serial_copies& operator=(const serial_copies&) = delete;
  ~serial_copies();

  /// Wall time of one copy for each of `units` (numbers of the operating system), from the moment
  /// when all are ready to the end of the last, in seconds. A unit that the system refuses leaves
  /// its copy unbound. Throws what the workload and the start of threads throw.
  [[nodiscard]] double time(std::span<const unsigned> units);

 private:
  class helper;

  workloads::workload& first_;
  maker make_;
  std::vector<std::unique_ptr<helper>> helpers_;
};

}  // namespace evencube::cli
