#pragma once

#include <array>
#include <csetjmp>
#include <cstddef>
#include <memory>

#include <ucontext.h>

namespace evencube::explorer {

/// A stack of its own that runs one function. All fibers share one thread, and hand over by name.
/// The first hand-over to a fiber costs two system calls, the others about 40 ns.
class fiber {
 public:
  /// The stack that is running already.
  fiber() = default;
  fiber(const fiber&) = delete;
  fiber& operator=(const fiber&) = delete;
  ~fiber() = default;

  /// Lets the fiber begin (again) with `entry(argument)`, which must never return. What stood on
  /// its stack is dropped, not unwound.
  void begin(void (*entry)(void*), void* argument);

  /// Suspends this fiber, the one that runs, and resumes or begins the other one.
  void hand_over_to(fiber& next) noexcept;

 private:
  static constexpr std::size_t stack_bytes = std::size_t{1} << 18;

  static void enter();
  void swap_to(fiber& next) noexcept;

  std::unique_ptr<std::byte[]> stack_;
  void (*entry_)(void*) = nullptr;
  void* argument_ = nullptr;
  bool fresh_ = false;
  ucontext_t context_{};
  // The exceptions that are being handled on this stack, as the C++ library keeps them.
  std::array<void*, 2> exceptions_{};
  [[maybe_unused]] std::jmp_buf here_{};  // not with the address sanitizer
  // What the address sanitizer is told of the stacks.
  const void* bottom_ = nullptr;
  std::size_t size_ = 0;
  void* fake_stack_ = nullptr;
};

}  // namespace evencube::explorer
