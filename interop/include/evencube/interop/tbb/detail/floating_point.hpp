#pragma once

#if !defined(__x86_64__) && !defined(__i386__)
#include <cfenv>
#endif

namespace evencube::tbb::detail {

/// The settings of a thread's floating-point unit: rounding, masks, flush-to-zero.
class floating_point_settings {
 public:
  /// Returns the settings of the calling thread.
  [[nodiscard]] static floating_point_settings of_this_thread() noexcept {
    floating_point_settings made;
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("stmxcsr %0" : "=m"(made.vector_));
    __asm__ volatile("fnstcw %0" : "=m"(made.x87_));
    made.vector_ &= ~0x3fU;  // without the flags, which are results
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(made.control_));
#else
    made.rounding_ = std::fegetround();
#endif
    return made;
  }
  /// Gives the settings to the calling thread.
  void apply() const noexcept {
#if defined(__x86_64__) || defined(__i386__)
    __asm__ volatile("ldmxcsr %0" : : "m"(vector_));
    __asm__ volatile("fldcw %0" : : "m"(x87_));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" : : "r"(control_));
#else
    std::fesetround(rounding_);
#endif
  }
  bool operator==(const floating_point_settings&) const noexcept = default;

 private:
#if defined(__x86_64__) || defined(__i386__)
  unsigned vector_ = 0;
  unsigned short x87_ = 0;
#elif defined(__aarch64__)
  unsigned long control_ = 0;
#else
  int rounding_ = 0;
#endif
};

/// Gives settings to the calling thread until this object is destroyed.
class floating_point_scope {
 public:
  explicit floating_point_scope(const floating_point_settings& wanted) noexcept
      : before_(floating_point_settings::of_this_thread()), changed_(before_ != wanted) {
    if (changed_) wanted.apply();
  }
  floating_point_scope(const floating_point_scope&) = delete;
  floating_point_scope& operator=(const floating_point_scope&) = delete;
  ~floating_point_scope() {
    if (changed_) before_.apply();
  }

 private:
  floating_point_settings before_;
  bool changed_;
};

}  // namespace evencube::tbb::detail
