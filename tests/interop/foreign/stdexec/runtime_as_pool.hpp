// A runtime in place of the pools that stdexec's tests name.
#pragma once

#include <cstddef>
#include <evencube/interop/stdexec.hpp>
#include <evencube/runtime.hpp>

namespace foreign {

/// Has the members of a pool that the tests use.
class runtime_as_pool {
 public:
  /// Makes a runtime with this number of workers, or with one for each core.
  explicit runtime_as_pool(std::size_t workers = 0)
      : workers_({.workers = static_cast<unsigned>(workers)}) {}

  [[nodiscard]] evencube::stdexec_scheduler get_scheduler() {
    return evencube::stdexec_scheduler(workers_);
  }

 private:
  evencube::runtime workers_;
};

}  // namespace foreign
