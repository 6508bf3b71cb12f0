#pragma once

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/runtime.hpp>

namespace evencube::tbb {

/// Limits the default runtime. The one parameter, `max_allowed_parallelism`, is the number of
/// workers with which that runtime is made. A runtime that has been made keeps its workers. While a
/// lower limit lives, calls from outside of tasks run in an arena of that many places; a higher
/// limit changes nothing. Throws std::invalid_argument for a limit that no runtime can have.
class global_control {
 public:
  enum parameter { max_allowed_parallelism };

  global_control(parameter, std::size_t value) : value_(value) {
    if (value == 0 || value > runtime_options::max_workers) {
      throw std::invalid_argument("global_control: max_allowed_parallelism " +
                                  std::to_string(value) + " is not allowed; 1 to " +
                                  std::to_string(runtime_options::max_workers));
    }
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    all.limits.push_back(value);
  }
  global_control(const global_control&) = delete;
  global_control& operator=(const global_control&) = delete;
  ~global_control() {
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    all.limits.erase(std::find(all.limits.begin(), all.limits.end(), value_));
  }

  static std::size_t active_value(parameter) {
    detail::defaults& all = detail::the_defaults();
    const std::lock_guard lock(all.lock);
    const auto fewest = std::min_element(all.limits.begin(), all.limits.end());
    if (all.made != nullptr) {
      const std::size_t workers = all.made->workers();
      return fewest != all.limits.end() ? (std::min)(*fewest, workers) : workers;
    }
    return fewest != all.limits.end() ? *fewest
                                      : (std::max)(1U, std::thread::hardware_concurrency());
  }

 private:
  std::size_t value_;
};

}  // namespace evencube::tbb
