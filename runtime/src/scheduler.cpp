#include "scheduler.hpp"

#include <pthread.h>

#include <algorithm>
#include <cstdlib>
#include <evencube/error.hpp>
#include <stdexcept>

namespace evencube::detail {

namespace {

/// How often this process was forked away from its parent's threads.
std::atomic<unsigned> generation{0};

unsigned current_generation() {
  static const int registered =
      pthread_atfork(nullptr, nullptr, [] { generation.fetch_add(1, std::memory_order_relaxed); });
  static_cast<void>(registered);
  return generation.load(std::memory_order_relaxed);
}

[[noreturn]] void bad_workers(const std::string& value) {
  throw std::invalid_argument("workers: " + value + " is not allowed; at least 1, at most " +
                              std::to_string(runtime_options::max_workers));
}

/// Fills in what is automatic and refuses what is not allowed.
runtime_options checked(runtime_options options, const machine& on, std::string& reason) {
  if (options.workers > runtime_options::max_workers) bad_workers(std::to_string(options.workers));
  if (options.workers == 0) {
    options.workers = on.default_workers;
    reason = on.reason;
    if (const char* text = std::getenv("EVENCUBE_WORKERS"); text != nullptr && *text != '\0') {
      char* end = nullptr;
      const long n = std::strtol(text, &end, 10);
      if (*end != '\0' || n < 1 || n > static_cast<long>(runtime_options::max_workers)) {
        bad_workers("EVENCUBE_WORKERS=" + std::string(text));
      }
      options.workers = static_cast<unsigned>(n);
      reason = std::to_string(n) + (n == 1 ? " worker" : " workers") + ": EVENCUBE_WORKERS";
    }
  } else {
    reason = std::to_string(options.workers) + (options.workers == 1 ? " worker" : " workers") +
             ": as asked; " + std::to_string(on.units.size()) + " processing " +
             (on.units.size() == 1 ? "unit" : "units") + " allowed";
  }
  if (options.injection_capacity == 0 || options.injection_capacity > 65534) {
    throw std::invalid_argument(
        "injection_capacity: " + std::to_string(options.injection_capacity) +
        " is not allowed; at least 1, at most 65534");
  }
  if (options.period.count() < 0 || options.period > runtime_options::max_period) {
    throw std::invalid_argument(
        "period: " + std::to_string(options.period.count()) +
        " us is not allowed; 0 (never), or at most " +
        std::to_string(std::chrono::microseconds(runtime_options::max_period).count()) + " us");
  }
  if (options.mode < balancer_mode::automatic || options.mode > balancer_mode::on_demand) {
    throw std::invalid_argument("mode: " + std::to_string(static_cast<int>(options.mode)) +
                                " is no balancer_mode");
  }
  return options;
}

}  // namespace

scheduler::scheduler(runtime_options options)
    : machine_(discover_machine()),
      options_(checked(std::move(options), machine_, reason_)),
      placement_(place_workers(machine_, options_.workers)),
      graph_(topology::cube(options_.workers)),
      idle_leads_(
          options_.mode == balancer_mode::on_idle || options_.mode == balancer_mode::on_demand ||
          (options_.mode == balancer_mode::automatic && options_.workers >= machine_.units.size())),
      // A worker that spins where another one should run only delays what it waits for.
      spin_ns_(options_.workers <= machine_.units.size() ? 20'000 : 0),
      links_(options_.workers, graph_.dimensions()),
      rounds_(*this,
              make_strategy(options_.balancer, options_.options, options_.transmission, graph_)),
      tracker_(*this, nullptr),
      idle_(options_.workers),
      injection_(options_.injection_capacity),
      stats_since_(now_ns()),
      fork_generation_(current_generation()) {
  for (std::uint32_t k = 0; k < options_.workers; ++k) {
    workers_.push_back(std::make_unique<worker>(*this, k));
  }
  at(0).stranded_.store(true, std::memory_order_relaxed);
  at(0).counters_.idle_since.store(stats_since_, std::memory_order_relaxed);
  try {
    for (std::uint32_t k = 1; k < size(); ++k) threads_.emplace_back([this, k] { thread_main(k); });
    if (!idle_leads_ && size() > 1) {
      threads_.emplace_back([this] {
        name_current_thread("evencube-plan");
        rounds_.serve(std::chrono::nanoseconds(options_.period).count());
      });
    }
  } catch (...) {
    stop_threads();
    throw;
  }
}

// Shutdown, as runtime/docs/shutdown.md numbers it.
scheduler::~scheduler() {
  if (forked_away()) {
    // The threads exist only in the parent: no call may name them, not even to detach them. Kept
    // where nothing destroys them.
    static auto* const forgotten = new std::vector<std::vector<std::thread>>;
    forgotten->push_back(std::move(threads_));
    return;
  }
  try {
    wait_outside(tracker_);
  } catch (...) {
  }
  stop_threads();
}

void scheduler::stop_threads() noexcept {
  for (const auto& w : workers_) w->notify(signal_stop);
  rounds_.stop();
  for (auto& t : threads_) t.join();
  threads_.clear();
}

void scheduler::thread_main(std::uint32_t k) {
  name_current_thread("evencube-" + std::to_string(k));
  if (options_.pin) pin_current_thread(machine_.units[placement_[k]].os_index);
  worker::current_ = &at(k);
  role own{&at(k)};
  begin(own);
  at(k).main_loop();
  at(k).returns_.flush();
}

void scheduler::use(const std::string& balancer, const balancer_options& options,
                    const std::string& transmission) {
  check_alive();
  rounds_.use(make_strategy(balancer, options, transmission, graph_));
  // Those who sleep because the old one had nothing for them look again.
  for (const auto& w : workers_) w->notify(signal_work);
}

bool scheduler::forked_away() const noexcept {
  return fork_generation_ != generation.load(std::memory_order_relaxed);
}

void scheduler::check_alive() const {
  if (forked_away()) {
    throw error(
        "this runtime belongs to the parent process: its threads do not exist after fork()");
  }
}

statistics scheduler::stats() const {
  statistics all;
  const std::int64_t now = now_ns();
  for (const auto& w : workers_) {
    const worker_counters& c = w->counters_;
    const std::int64_t since = c.idle_since.load(std::memory_order_relaxed);
    const std::int64_t idle =
        c.idle_ns.load(std::memory_order_relaxed) + (since != 0 ? now - since : 0);
    all.workers.push_back(
        {.executed = c.executed.load(std::memory_order_relaxed),
         .received =
             c.received.load(std::memory_order_relaxed) + c.arrived.load(std::memory_order_relaxed),
         .parks = c.parks.load(std::memory_order_relaxed),
         .busy_seconds =
             static_cast<double>(std::max<std::int64_t>(now - stats_since_ - idle, 0)) * 1e-9});
    all.tasks_moved += all.workers.back().received;
  }
  for (unsigned i = 0; i < graph_.dimensions(); ++i) {
    all.moved_by_dimension.push_back(rounds_.moved(i));
  }
  all.rounds = rounds_.count();
  all.failed_rounds = rounds_.failed();
  all.balancing_seconds = static_cast<double>(rounds_.spent_ns()) * 1e-9;
  return all;
}

void scheduler::reset_stats() noexcept {
  stats_since_ = now_ns();
  for (const auto& w : workers_) {
    worker_counters& c = w->counters_;
    c.executed.store(0, std::memory_order_relaxed);
    c.received.store(0, std::memory_order_relaxed);
    c.arrived.store(0, std::memory_order_relaxed);
    c.parks.store(0, std::memory_order_relaxed);
    c.idle_ns.store(0, std::memory_order_relaxed);
    if (c.idle_since.load(std::memory_order_relaxed) != 0) {
      c.idle_since.store(stats_since_, std::memory_order_relaxed);
    }
  }
  rounds_.reset();
}

}  // namespace evencube::detail
