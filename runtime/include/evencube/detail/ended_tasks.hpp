#pragma once

#include <cstdint>
#include <utility>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

template <typename Policy>
class basic_group;

/// Tasks of one group made elsewhere that ended on this worker and whose ends have not been
/// reported. The ends are reported when the worker runs something else, or nothing. Until then the
/// group has other unfinished tasks (invariant waiting.ends-later). Used by the worker alone.
template <typename Policy>
class basic_ended_tasks {
 public:
  using group_type = basic_group<Policy>;

  /// The group to which ends must be reported, or null.
  [[nodiscard]] const group_type* group() const noexcept { return group_; }

  /// Notes that `tasks` more tasks of `group` have ended.
  void add(group_type& group, std::int64_t tasks) noexcept {
    if (group_ != &group) {
      tell();
      group_ = &group;
    }
    tasks_ += tasks;
  }
  /// Reports the ends to the group, if there are any.
  void tell() noexcept {
    if (group_ != nullptr && Policy::checks("waiting.ends-later")) tell_group();
  }
  /// Reports the ends to the group. Precondition: there are some.
  [[gnu::noinline]] void tell_group() noexcept {
    std::exchange(group_, nullptr)->finish_by_others(std::exchange(tasks_, 0));
  }

 private:
  group_type* group_ = nullptr;
  std::int64_t tasks_ = 0;
};

}  // namespace evencube::detail
