// A program that asks its library of senders for the parallel scheduler and knows nothing of
// EvenCube, except that it checks where the work ran.
#include <array>
#include <atomic>
#include <cstddef>
#include <evencube/this_task.hpp>
#include <exception>
#include <memory>
#include <span>
#include <stdexec/execution.hpp>

namespace replaced = stdexec::parallel_scheduler_replacement;

// The library's own backend, in whose place that of EvenCube is linked.
[[gnu::weak]] std::shared_ptr<replaced::parallel_scheduler_backend>
replaced::query_parallel_scheduler_backend() {
  return nullptr;
}

namespace {

class receiver final : public replaced::bulk_item_receiver_proxy {
 public:
  void execute(std::size_t first, std::size_t last) noexcept override {
    for (std::size_t i = first; i < last; ++i) ++calls_[i];
  }
  void set_value() noexcept override { end(evencube::this_task::runtime() != nullptr ? 1 : 2); }
  void set_error(std::exception_ptr) noexcept override { end(2); }
  void set_stopped() noexcept override { end(2); }

  /// Waits for the end, and returns whether it came as a value on a worker of EvenCube.
  [[nodiscard]] bool succeeds() {
    ended_.wait(0);
    return ended_.exchange(0) == 1;
  }
  /// Returns true if every item has been met `times` times.
  [[nodiscard]] bool met(int times) const {
    for (const auto& calls : calls_) {
      if (calls != times) return false;
    }
    return true;
  }

 private:
  void end(int how) noexcept {
    ended_ = how;
    ended_.notify_one();
  }

  std::array<std::atomic<int>, 1000> calls_{};
  std::atomic<int> ended_{0};
};

}  // namespace

int main() {
  const auto backend = replaced::query_parallel_scheduler_backend();
  if (backend == nullptr) return 2;
  static receiver only;  // outlives the thread that has just notified it
  alignas(64) static std::array<std::byte, 72> scratch;
  backend->schedule(only, scratch);
  if (!only.succeeds()) return 1;
  backend->schedule_bulk_chunked(1000, only, scratch);
  if (!only.succeeds() || !only.met(1)) return 1;
  backend->schedule_bulk_unchunked(1000, only, {});  // without memory for the task
  return only.succeeds() && only.met(2) ? 0 : 1;
}
