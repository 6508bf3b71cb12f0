#include "payload.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <thread>

#include <evencube/evencube.hpp>

#include "../common/spin_clock.hpp"

namespace bench::payload {
namespace {

using clock_type = std::chrono::steady_clock;

constexpr double computes_us = 20;

std::int64_t now() { return clock_type::now().time_since_epoch().count(); }

/// What the tasks of one measurement share.
struct shared_times {
  explicit shared_times(unsigned workers) : first(workers) {
    for (auto& one : first) one = 0;
  }
  /// When each worker began its first task; 0: not yet.
  std::vector<std::atomic<std::int64_t>> first;
};

times once(evencube::runtime& rt, unsigned kib) {
  const unsigned workers = rt.workers();
  const std::size_t bytes = std::size_t{kib} << 10;
  const std::size_t tasks = per_place * workers;
  static const std::uint64_t span = spin_clock().ticks(computes_us);
  // Touched by the thread that becomes worker 0.
  std::vector<std::unique_ptr<char[]>> data(tasks);
  shared_times seen(workers);
  std::atomic<bool> made{false};
  std::atomic<bool> begun{false};
  std::int64_t asked = 0;
  double even = 0;
  std::thread leader{[&] {
    made.wait(false);
    asked = now();
    begun = true;
    begun.notify_all();
    static_cast<void>(rt.balance());
    even = 1e-9 * static_cast<double>(now() - asked);
  }};
  std::int64_t ended = 0;
  rt.run([&] {
    for (auto& one : data) {
      one.reset(new char[bytes]);
      std::memset(one.get(), 1, bytes);
    }
    evencube::task_group group;
    for (std::size_t i = 0; i < tasks; ++i) {
      group.spawn([&, i] {
        const unsigned here = *evencube::this_task::worker();
        std::int64_t none = 0;
        const std::int64_t began = now();
        seen.first[here].compare_exchange_strong(none, began);
        // Pages that this worker touches first.
        const std::unique_ptr<char[]> mine(new char[bytes]);
        std::memcpy(mine.get(), data[i].get(), bytes);
        static_cast<volatile char*>(mine.get())[bytes - 1] = 2;
        spin_clock::spin(span);
      });
    }
    made = true;
    made.notify_all();
    begun.wait(false);
    group.wait();
    ended = now();
  });
  leader.join();
  // A worker that got nothing counts until the end.
  std::int64_t first = asked;
  for (unsigned k = 1; k < workers; ++k) {
    const std::int64_t its = seen.first[k];
    first = std::max(first, its == 0 ? ended : its);
  }
  return {1e-9 * static_cast<double>(first - asked), even,
          1e-9 * static_cast<double>(ended - asked)};
}

const std::vector<std::string> transmissions{"phased", "direct", "overlapped", "pipelined",
                                             "pipelined:1"};

}  // namespace

std::vector<row> between_workers(const settings& how) {
  std::vector<row> rows;
  evencube::runtime rt{{.workers = how.workers,
                        .balancer = how.balancer,
                        .mode = evencube::balancer_mode::on_demand,
                        .pulls = false}};
  for (const unsigned kib : how.kib) {
    row like{};
    like.places = how.workers;
    like.kib = kib;
    for (row& r : in_turns(transmissions, how.repetitions, like, [&](const std::string& name) {
           rt.use_balancer(how.balancer, {}, name);
           return once(rt, kib);
         })) {
      rows.push_back(std::move(r));
    }
  }
  return rows;
}

}  // namespace bench::payload
