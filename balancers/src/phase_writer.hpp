#pragma once

#include <cstddef>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// Writes a plan phase by phase over what it held before, so that the memory of its phases is used
/// again. What is left of the old phases goes when the writer does.
class phase_writer {
 public:
  explicit phase_writer(plan& out) noexcept : out_(out) {}
  phase_writer(const phase_writer&) = delete;
  phase_writer& operator=(const phase_writer&) = delete;
  ~phase_writer() { out_.phases.erase(out_.phases.begin() + written(), out_.phases.end()); }

  /// A new phase, empty.
  phase& next() {
    if (used_ == out_.phases.size()) out_.phases.emplace_back();
    phase& fresh = out_.phases[used_++];
    fresh.clear();
    return fresh;
  }

  /// Takes back the last phases that are empty.
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
