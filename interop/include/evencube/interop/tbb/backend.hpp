#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include <evencube/interop/as_tbb.hpp>
#include <evencube/interop/tbb/default_runtime.hpp>
#include <evencube/interop/tbb/task_group_context.hpp>
#include <evencube/task_group.hpp>

namespace evencube::tbb::detail {

struct backend_run;

/// The data that a task receives when it runs.
struct execution_data {
  task_group_context* context = nullptr;
  backend_run* run = nullptr;
};

/// A task of a standard library's parallel algorithms. `execute` returns the task to run next, or
/// null. Once the context is cancelled, `cancel` is called instead; it also returns the next task.
class backend_task {
 public:
  backend_task() = default;
  backend_task(const backend_task&) = default;
  backend_task& operator=(const backend_task&) = default;
  virtual ~backend_task() = default;
  virtual backend_task* execute(execution_data& data) = 0;
  virtual backend_task* cancel(execution_data& data) = 0;
};

/// A counter of tasks to wait for.
class wait_context {
 public:
  explicit wait_context(std::uint32_t count) noexcept : count_(count) {}
  wait_context(const wait_context&) = delete;
  wait_context& operator=(const wait_context&) = delete;
  ~wait_context() = default;
  // Relaxed: `execute_and_wait` waits for the tasks themselves.
  void reserve(std::uint32_t more = 1) noexcept {
    count_.fetch_add(more, std::memory_order_relaxed);
  }
  void release(std::uint32_t fewer = 1) noexcept {
    count_.fetch_sub(fewer, std::memory_order_relaxed);
  }
  [[nodiscard]] bool continue_execution() const noexcept {
    return count_.load(std::memory_order_relaxed) > 0;
  }

 private:
  std::atomic<std::uint32_t> count_;
};

/// The header of a task's memory block, directly before the task.
struct alignas(std::max_align_t) backend_block {
  backend_block* next;
  void* memory;
  std::size_t alignment;
  backend_run* owner;  // null: no run owns the block yet
};

/// One call of `execute_and_wait`. When the call ends, its tasks' memory is released, because not
/// every standard library releases all tasks.
struct backend_run {
  explicit backend_run(task_group_context& of) : context(of) {}
  backend_run(const backend_run&) = delete;
  backend_run& operator=(const backend_run&) = delete;
  ~backend_run() {
    // Relaxed: the tasks have been waited for.
    for (backend_block* at = blocks.load(std::memory_order_relaxed); at != nullptr;) {
      backend_block* const next = at->next;
      ::operator delete(at->memory, std::align_val_t{at->alignment});
      at = next;
    }
  }
  void own(backend_block& block) noexcept {
    block.owner = this;
    block.next = blocks.load(std::memory_order_relaxed);
    // Relaxed: the list is read after the wait for the tasks.
    while (!blocks.compare_exchange_weak(block.next, &block, std::memory_order_relaxed)) {
    }
  }

  task_group_context& context;
  std::atomic<backend_block*> blocks{nullptr};
  evencube::task_group group;
};
inline thread_local backend_run* backend_run_here = nullptr;
/// The last block that the calling thread allocated outside of a run.
inline thread_local backend_block* backend_block_here = nullptr;

/// Allocates tasks.
class small_object_allocator {
 public:
  template <typename T, typename... Arguments>
  [[nodiscard]] T* new_object(execution_data& data, Arguments&&... arguments) {
    return made<T>(data.run, std::forward<Arguments>(arguments)...);
  }
  template <typename T, typename... Arguments>
  [[nodiscard]] T* new_object(Arguments&&... arguments) {
    return made<T>(nullptr, std::forward<Arguments>(arguments)...);
  }
  template <typename T>
  void deallocate(T* object, execution_data& /*data*/) noexcept {
    deallocate(object);
  }
  template <typename T>
  void deallocate(T* object) noexcept {
    const backend_block* const block = block_of(object);
    if (block->owner == nullptr) {
      if (backend_block_here == block) backend_block_here = nullptr;
      ::operator delete(block->memory, std::align_val_t{block->alignment});
    }
  }
  template <typename T>
  void delete_object(T* object, execution_data& data) noexcept {
    object->~T();
    deallocate(object, data);
  }
  template <typename T>
  void delete_object(T* object) noexcept {
    object->~T();
    deallocate(object);
  }

 private:
  static backend_block* block_of(void* object) noexcept {
    return static_cast<backend_block*>(object) - 1;
  }
  template <typename T, typename... Arguments>
  static T* made(backend_run* owner, Arguments&&... arguments) {
    constexpr std::size_t alignment =
        alignof(T) > alignof(backend_block) ? alignof(T) : alignof(backend_block);
    constexpr std::size_t head = (sizeof(backend_block) + alignment - 1) / alignment * alignment;
    void* const memory = ::operator new(head + sizeof(T), std::align_val_t{alignment});
    void* const place = static_cast<std::byte*>(memory) + head;
    T* object = nullptr;
    try {
      object = ::new (place) T(std::forward<Arguments>(arguments)...);
    } catch (...) {
      ::operator delete(memory, std::align_val_t{alignment});
      throw;
    }
    auto* const block = ::new (block_of(place)) backend_block{nullptr, memory, alignment, nullptr};
    if (owner != nullptr) {
      owner->own(*block);
    } else {
      backend_block_here = block;
    }
    return object;
  }
};

/// Runs the task, and then each task that the previous one returned.
inline void run_backend_tasks(backend_task* next, backend_run& of) {
  const surroundings_scope now({&of.context, here.arena});
  struct restored {
    backend_run* before;
    ~restored() { backend_run_here = before; }
  } const after{std::exchange(backend_run_here, &of)};
  execution_data data{&of.context, &of};
  while (next != nullptr) {
    next = context_access::cancelled_inside(of.context) ? next->cancel(data) : next->execute(data);
  }
}

/// Queues a task in the run that the calling task belongs to.
inline void spawn(backend_task& task, task_group_context& /*context*/) {
  backend_run& of = *backend_run_here;
  of.group.spawn([&task, &of] { run_backend_tasks(&task, of); });
}

/// Runs the task, and returns when it and all its descendants have ended. Throws the first
/// exception that a task threw.
inline void execute_and_wait(backend_task& task, task_group_context& context,
                             wait_context& /*wait*/, task_group_context& /*of_wait*/) {
  backend_block* mine = nullptr;
  if (backend_block_here != nullptr && backend_block_here + 1 == dynamic_cast<void*>(&task)) {
    mine = std::exchange(backend_block_here, nullptr);
  }
  detail::inside([&] {
    const context_use use(context);
    backend_run run(context);
    if (mine != nullptr) run.own(*mine);
    try {
      detail::run_backend_tasks(&task, run);
    } catch (...) {
      context.cancel_group_execution();
      try {
        run.group.wait();
      } catch (...) {  // only the first exception is rethrown
      }
      throw;
    }
    run.group.wait();
  });
}

}  // namespace evencube::tbb::detail

// The names under which the parallel algorithms of libstdc++ 12 to 14 use oneTBB's tasks.
namespace tbb::detail::d1 {
using task = evencube::tbb::detail::backend_task;
using evencube::tbb::detail::execute_and_wait;
using evencube::tbb::detail::execution_data;
using evencube::tbb::detail::small_object_allocator;
using evencube::tbb::detail::spawn;
using evencube::tbb::detail::wait_context;
}  // namespace tbb::detail::d1
