#pragma once

#include <cstddef>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// Writes a plan phase by phase over its former contents, so that the memory of its phases is
/// reused. The destructor removes the old phases that are left.
class phase_writer {
 public:
  explicit phase_writer(plan& out) noexcept : out_(out) {}
  phase_writer(const phase_writer&) = delete;
  phase_writer& operator=(const phase_writer&) = delete;
  ~phase_writer() { out_.phases.erase(out_.phases.begin() + written(), out_.phases.end()); }

  /// Returns a new, empty phase.
  phase& next() {
    if (used_ == out_.phases.size()) out_.phases.emplace_back();
    phase& fresh = out_.phases[used_++];
    fresh.clear();
    return fresh;
  }

  /// Removes empty phases at the end.
  void drop_empty_end() noexcept {
    while (used_ > 0 && out_.phases[used_ - 1].empty()) --used_;
  }

  [[nodiscard]] std::size_t size() const noexcept { return used_; }

 private:
  [[nodiscard]] std::ptrdiff_t written() const noexcept {
    return static_cast<std::ptrdiff_t>(used_);
  }

  plan& out_;
  std::size_t used_ = 0;
};

}  // namespace evencube
