#include "serial_copies.hpp"

#include <fmt/core.h>
#include <sched.h>

#include <chrono>
#include <exception>
#include <semaphore>
#include <system_error>
#include <thread>
#include <utility>

#include "failure.hpp"
#include "runtime_arguments.hpp"

namespace evencube::cli {
namespace {

void bind_to(unsigned unit) {
  if (unit >= CPU_SETSIZE) return;
  cpu_set_t mask;
  CPU_ZERO(&mask);
  CPU_SET(unit, &mask);
  // If the system refuses, the thread stays where it may run: the figure is less precise, not
  // wrong.
  static_cast<void>(sched_setaffinity(0, sizeof mask, &mask));
}

/// Binds the calling thread for the lifetime of the object.
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

/// A copy and its thread, which does one thing after another.
class serial_copies::helper {
 public:
  helper(const maker& make, starting_line& line)
      : make_{make}, line_{line}, thread_{[this] { serve(); }} {}
  helper(const helper&) = delete;
  helper& operator=(const helper&) = delete;
  ~helper() { give(nullptr); }

  /// Binds the copy's thread, and makes the copy if there is none yet. Throws what making it
  /// throws.
  void place(unsigned unit) {
    give([this, unit] {
      bind_to(unit);
      if (!work_) work_ = make_();
    });
    wait();
  }
  /// Runs the copy from the starting line.
  void run() {
    give([this] {
      line_.wait();
      work_->run_serial();
    });
  }
  /// Waits until the helper's last job is done. Throws what the job threw.
  void wait() {
    done_.acquire();
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }

 private:
  /// Gives a job to the thread; null ends the thread.
  void give(std::function<void()> what) {
    wanted_ = std::move(what);
    begin_.release();
  }

  void serve() {
    while (true) {
      begin_.acquire();
      if (!wanted_) return;
      try {
        wanted_();
      } catch (...) {
        problem_ = std::current_exception();
      }
      done_.release();
    }
  }

  const maker& make_;
  starting_line& line_;
  std::unique_ptr<workloads::workload> work_;
  std::binary_semaphore begin_{0};
  std::binary_semaphore done_{0};
  std::function<void()> wanted_;
  std::exception_ptr problem_;
  std::jthread thread_;  // the last member: the thread uses all others
};

serial_copies::serial_copies(workloads::workload& first, maker make)
    : first_{first}, make_{std::move(make)} {}

serial_copies::~serial_copies() = default;

/// Makes as many copies as there are units, and binds each copy to its unit.
void serial_copies::place(std::span<const unsigned> units) {
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    if (i == helpers_.size()) {
      try {
        helpers_.push_back(std::make_unique<helper>(make_, line_));
      } catch (const std::system_error& problem) {
        const auto workers = static_cast<unsigned>(units.size());
        throw usage_error{
            fmt::format("--workers {}: {}", workers, refused_threads_text(workers, problem))};
      }
    }
    helpers_[i]->place(units[i + 1]);
  }
}

double serial_copies::time(std::span<const unsigned> units) {
  const auto measure = [&] {
    place(units);  // first: a new thread may run where the thread that starts it may
    const bound_here bound{units[0]};
    if (have_run_ < units.size()) {
      static_cast<void>(race(units.size()));
      have_run_ = units.size();
    }
    return race(units.size());
  };
  // One copy is the serial program: the caller knows which option asks for its memory.
  if (units.size() == 1) return measure();
  return with_memory_for(
      fmt::format("--workers {}, and one copy of the data for each", units.size()), measure);
}

/// Runs `copies` copies at once. Returns the wall time in seconds.
double serial_copies::race(std::size_t copies) {
  const std::span others{helpers_.data(), copies - 1};
  line_.reset();
  for (const auto& other : others) other->run();
  const auto start = line_.start(others.size());
  std::exception_ptr problem;
  const auto keep_first = [&](auto&& work) {
    try {
      work();
    } catch (...) {
      if (!problem) problem = std::current_exception();
    }
  };
  keep_first([&] { first_.run_serial(); });
  // Waits for all of them: no copy may still run when an exception leaves this function.
  for (const auto& other : others) keep_first([&] { other->wait(); });
  const auto end = starting_line::clock::now();
  if (problem) std::rethrow_exception(problem);
  return std::chrono::duration<double>(end - start).count();
}

}  // namespace evencube::cli
