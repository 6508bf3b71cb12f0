#include "serial_copies.hpp"

#include <sched.h>

#include <chrono>
#include <exception>
#include <semaphore>
#include <thread>
#include <utility>

namespace evencube::cli {
namespace {

void bind_to(unsigned unit) {
  if (unit >= CPU_SETSIZE) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(unit, &mask);
  // A refusal leaves the thread where it may run: the figure is rougher then, not wrong.
  static_cast<void>(sched_setaffinity(0, sizeof mask, &mask));
}

/// Binds the calling thread while it lives.
class bound_here {
 public:
  explicit bound_here(unsigned unit) : known_{sched_getaffinity(0, sizeof before_, &before_) == 0} {
    if (known_) bind_to(unit);
  }
  bound_here(const bound_here&) = delete;
  bound_here& operator=(const bound_here&) = delete;
  ~bound_here() {
    if (known_) static_cast<void>(sched_setaffinity(0, sizeof before_, &before_));
  }

 private:
  cpu_set_t before_{};
  bool known_;
};

}  // namespace

/// A copy and its thread, which does one thing after the other.
class serial_copies::helper {
 public:
  explicit helper(std::unique_ptr<workloads::workload> work)
      : work_{std::move(work)}, thread_{[this] { serve(); }} {}
  helper(const helper&) = delete;
  helper& operator=(const helper&) = delete;
  ~helper() {
    wanted_ = order::end;
    begin_.release();
  }

  void bind(unsigned unit) {
    unit_ = unit;
    give(order::bind);
  }
  void run() { give(order::run); }
  /// Until what was given last is done. Throws what the run threw.
  void wait() {
    done_.acquire();
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }

 private:
  enum class order { bind, run, end };

  void give(order what) {
    wanted_ = what;
    begin_.release();
  }

  void serve() {
    while (true) {
      begin_.acquire();
      if (wanted_ == order::end) return;
      if (wanted_ == order::bind) {
        bind_to(unit_);
      } else {
        try {
          work_->run_serial();
        } catch (...) {
          problem_ = std::current_exception();
        }
      }
      done_.release();
    }
  }

  std::unique_ptr<workloads::workload> work_;
  std::binary_semaphore begin_{0};
  std::binary_semaphore done_{0};
  order wanted_ = order::bind;
  unsigned unit_ = 0;
  std::exception_ptr problem_;
  std::jthread thread_;  // the last: it uses all others
};

serial_copies::serial_copies(workloads::workload& first, maker make)
    : first_{first}, make_{std::move(make)} {}

serial_copies::~serial_copies() = default;

double serial_copies::time(std::span<const unsigned> units) {
  while (helpers_.size() + 1 < units.size()) helpers_.push_back(std::make_unique<helper>(make_()));
  const std::span others{helpers_.data(), units.size() - 1};
  const bound_here bound{units[0]};
  for (std::size_t i = 0; i < others.size(); ++i) others[i]->bind(units[i + 1]);
  for (const auto& other : others) other->wait();
  const auto start = std::chrono::steady_clock::now();
  for (const auto& other : others) other->run();
  std::exception_ptr problem;
  const auto keep_first = [&](auto&& work) {
    try {
      work();
    } catch (...) {
      if (!problem) problem = std::current_exception();
    }
  };
  keep_first([&] { first_.run_serial(); });
  // All of them: nobody may still run when an exception leaves.
  for (const auto& other : others) keep_first([&] { other->wait(); });
  const auto end = std::chrono::steady_clock::now();
  if (problem) std::rethrow_exception(problem);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace evencube::cli
