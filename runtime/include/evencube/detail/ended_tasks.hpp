#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

template <typename Policy>
class basic_group;

/// Tasks of a group made elsewhere that ended on this worker, and that the group has not been told
/// of. It is told when the worker runs something else, or nothing; until then it has other tasks
/// left (invariant waiting.ends-later). Used by the worker alone.
template <typename Policy>
class basic_ended_tasks {
 public:
  using group_type = basic_group<Policy>;

  /// The group that is to be told; null if none is.
  [[nodiscard]] const group_type* group() const noexcept { return group_; }

  /// `tasks` more of `group` have ended.
  void add(group_type& group, std::int64_t tasks) noexcept {
    if (group_ != &group) {
      tell();
      group_ = &group;
    }
    tasks_ += tasks;
  }
  /// Tells the group, if there is one.
  void tell() noexcept {
    if (group_ != nullptr && Policy::checks("tell endings")) tell_group();
  }
  /// Tells the group, which is there.
  [[gnu::noinline]] void tell_group() noexcept {
    std::exchange(group_, nullptr)->finish_by_others(std::exchange(tasks_, 0));
  }

 private:
  group_type* group_ = nullptr;
  std::int64_t tasks_ = 0;
};

}  // namespace evencube::detail
