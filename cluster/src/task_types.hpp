#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <evencube/error.hpp>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/cluster/detail/call.hpp>

namespace evencube::detail {

/// The registered tasks of a rank. They change only before the first group, so they are read
/// without a mutex afterwards.
class task_types {
 public:
  /// Returns the number of the task.
  std::uint32_t add(cluster_task_type type) {
    if (type.name.empty()) throw std::invalid_argument("cluster: a task's name is empty");
    if (sealed_) {
      throw error("cluster: task \"" + type.name +
                  "\" is registered after the first group was made");
    }
    for (const cluster_task_type& known : types_) {
      if (known.name == type.name) {
        throw std::invalid_argument("cluster: there are two tasks of the name \"" + type.name +
                                    "\"");
      }
    }
    types_.push_back(std::move(type));
    return static_cast<std::uint32_t>(types_.size() - 1);
  }
  /// Called by the first group. Returns true if it is the first one.
  [[nodiscard]] bool seal() noexcept { return !std::exchange(sealed_, true); }

  [[nodiscard]] const cluster_task_type& operator[](std::uint32_t task) const {
    return types_[task];
  }
  [[nodiscard]] std::size_t size() const noexcept { return types_.size(); }
  [[nodiscard]] std::span<const cluster_task_type> all() const noexcept { return types_; }

  /// Throws evencube::error if no registered task has the types of a taker, which could never be
  /// called.
  void check(std::span<const result_taker> takers) const {
    for (std::size_t k = 0; k < takers.size(); ++k) {
      const bool takes = std::ranges::any_of(types_, [&](const cluster_task_type& type) {
        return type.argument == takers[k].argument && type.result == takers[k].result;
      });
      if (takes) continue;
      throw error("cluster_group::wait: no registered task has the types of taker " +
                  std::to_string(k + 1) + ": " + takers[k].argument.name() + " -> " +
                  takers[k].result.name());
    }
  }

 private:
  std::vector<cluster_task_type> types_;
  bool sealed_ = false;
};

}  // namespace evencube::detail
