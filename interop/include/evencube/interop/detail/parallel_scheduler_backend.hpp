#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <optional>
#include <span>
#include <type_traits>

#include <evencube/interop/detail/sender_bulk.hpp>
#include <evencube/priority.hpp>
#include <evencube/runtime.hpp>

// The backend of a library's parallel_scheduler (P2079). `Interface` is a class with the names of
// the library: backend, receiver_proxy, bulk_item_receiver_proxy, and stop_requested(proxy).

namespace evencube::senders::detail {

/// Returns the runtime of the parallel scheduler. It is made when it is first needed, with a worker
/// for each core, and ends with the program.
inline runtime& parallel_runtime() {
  static runtime only;
  return only;
}

/// A task of a backend: a call of Work, which has a member `void operator()() noexcept`. It is in
/// the scratch memory of the library if that is large enough.
template <typename Work>
class backend_task : sender_task {
 public:
  /// Queues a task in the scratch memory or, if that is too small, in memory of its own. Throws
  /// std::bad_alloc. Also throws if the runtime refuses the task.
  static void queue(const Work& work, std::span<std::byte> scratch) {
    const bool fits = scratch.size() >= sizeof(backend_task) &&
                      std::bit_cast<std::uintptr_t>(scratch.data()) % alignof(backend_task) == 0;
    void* const memory = fits ? scratch.data() : ::operator new(sizeof(backend_task));
    try {
      evencube::detail::queue_sender(*::new (memory) backend_task(work, !fits), {});
    } catch (...) {
      if (!fits) ::operator delete(memory);
      throw;
    }
  }

 private:
  backend_task(const Work& work, bool owns)
      : sender_task(&evencube::detail::workers_of(parallel_runtime()), priority::normal,
                    owns ? &run_owned : &run_in_scratch),
        work_(work) {
    static_assert(std::is_trivially_copyable_v<Work>);
  }

  static void run_in_scratch(sender_task& t) noexcept {
    const Work work = static_cast<backend_task&>(t).work_;
    work();
  }
  static void run_owned(sender_task& t) noexcept {
    auto* const self = &static_cast<backend_task&>(t);
    const Work work = self->work_;
    ::operator delete(self);
    work();
  }

  Work work_;
};

template <typename Interface>
class parallel_backend : public Interface::backend {
  using receiver_proxy = typename Interface::receiver_proxy;
  using bulk_proxy = typename Interface::bulk_item_receiver_proxy;

 public:
  void schedule(receiver_proxy& proxy, std::span<std::byte> scratch) noexcept override {
    start(proxy, scheduled{&proxy}, scratch);
  }
  void schedule_bulk_chunked(std::size_t count, bulk_proxy& proxy,
                             std::span<std::byte> scratch) noexcept override {
    start(proxy, bulk<true>{&proxy, count}, scratch);
  }
  void schedule_bulk_unchunked(std::size_t count, bulk_proxy& proxy,
                               std::span<std::byte> scratch) noexcept override {
    start(proxy, bulk<false>{&proxy, count}, scratch);
  }

 private:
  struct scheduled {
    void operator()() const noexcept {
      if (Interface::stop_requested(*proxy)) {
        proxy->set_stopped();
      } else {
        proxy->set_value();
      }
    }
    receiver_proxy* proxy;
  };

  template <bool chunked>
  struct bulk {
    void operator()() const noexcept {
      if (Interface::stop_requested(*proxy)) {
        proxy->set_stopped();
        return;
      }
      const auto call = [this](std::size_t first, std::size_t last) {
        if constexpr (chunked) {
          proxy->execute(first, last);
        } else {
          for (std::size_t i = first; i < last; ++i) proxy->execute(i, i + 1);
        }
      };
      try {
        for_chunks(count, call);
      } catch (...) {
        proxy->set_error(std::current_exception());
        return;
      }
      proxy->set_value();
    }
    bulk_proxy* proxy;
    std::size_t count;
  };

  template <typename Work>
  static void start(receiver_proxy& proxy, const Work& work,
                    std::span<std::byte> scratch) noexcept {
    if (Interface::stop_requested(proxy)) {
      proxy.set_stopped();
      return;
    }
    try {
      backend_task<Work>::queue(work, scratch);
    } catch (...) {
      proxy.set_error(std::current_exception());
    }
  }
};

}  // namespace evencube::senders::detail
