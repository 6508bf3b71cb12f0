#include "fiber.hpp"

#include <cstring>

#include <cxxabi.h>

#include "address_sanitizer.hpp"

namespace evencube::explorer {

namespace {

/// The fiber that hands over, and the fiber that goes on: a stack that begins knows neither.
fiber* leaving = nullptr;
fiber* entering = nullptr;

}  // namespace

void fiber::begin(void (*entry)(void*), void* argument) {
  if (stack_ == nullptr) stack_ = std::make_unique<std::byte[]>(stack_bytes);
#if defined(EVENCUBE_ADDRESS_SANITIZER)
  __asan_unpoison_memory_region(stack_.get(), stack_bytes);
#endif
  entry_ = entry;
  argument_ = argument;
  bottom_ = stack_.get();
  size_ = stack_bytes;
  fake_stack_ = nullptr;
  fresh_ = true;
  exceptions_ = {};
  getcontext(&context_);
  context_.uc_stack.ss_sp = stack_.get();
  context_.uc_stack.ss_size = stack_bytes;
  makecontext(&context_, &fiber::enter, 0);
}

void fiber::enter() {
#if defined(EVENCUBE_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(nullptr, &leaving->bottom_, &leaving->size_);
#endif
  entering->entry_(entering->argument_);
}

#if defined(EVENCUBE_ADDRESS_SANITIZER)

// A jump between stacks is an error to the sanitizer; a swap of contexts is not.
void fiber::swap_to(fiber& next) noexcept {
  leaving = this;
  entering = &next;
  __sanitizer_start_switch_fiber(&fake_stack_, next.bottom_, next.size_);
  next.fresh_ = false;
  swapcontext(&context_, &next.context_);
  __sanitizer_finish_switch_fiber(fake_stack_, &leaving->bottom_, &leaving->size_);
}

#else

// Only the beginning of a fiber needs a context, because swapping contexts costs a system call.
void fiber::swap_to(fiber& next) noexcept {
  if (_setjmp(here_) != 0) return;
  leaving = this;
  entering = &next;
  if (next.fresh_) {
    next.fresh_ = false;
    setcontext(&next.context_);
  }
  _longjmp(next.here_, 1);
}

#endif

// The C++ library keeps the list and the number of a thread's current exceptions (the Itanium ABI's
// __cxa_eh_globals: a pointer and an unsigned int). A fiber may be left inside a handler, so each
// fiber has its own.
void fiber::hand_over_to(fiber& next) noexcept {
  void* const under_way = abi::__cxa_get_globals();
  std::memcpy(exceptions_.data(), under_way, sizeof(void*) + sizeof(unsigned));
  std::memcpy(under_way, next.exceptions_.data(), sizeof(void*) + sizeof(unsigned));
  swap_to(next);
}

}  // namespace evencube::explorer
