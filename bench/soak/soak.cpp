/// Many threads give a runtime work of every kind while its balancer and transmission change all
/// the time. Every task has a number, and every number must have run exactly once.
#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <iostream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/transmission.hpp>
#include <evencube/evencube.hpp>

namespace {

using steady = std::chrono::steady_clock;
using generator = std::mt19937_64;

struct settings {
  double seconds = 600;
  unsigned workers = 64;
  unsigned producers = 8;
  std::uint64_t seed = 1;
  bool json = false;
};

struct totals {
  std::atomic<std::uint64_t> tasks{0};
  std::atomic<std::uint64_t> batches{0};
  std::atomic<std::uint64_t> thrown{0};
  std::atomic<std::uint64_t> lost{0};
  std::atomic<std::uint64_t> doubled{0};
  /// Exceptions that reached nobody, or came from nowhere.
  std::atomic<std::uint64_t> astray{0};
  std::atomic<std::uint64_t> changes{0};
  std::atomic<std::uint64_t> holds{0};
};

int draw(generator& random, int low, int high) {
  return std::uniform_int_distribution<int>(low, high)(random);
}

struct failure_on_purpose {};

/// One batch of tasks: who ran how often.
class batch {
 public:
  batch(evencube::runtime& rt, totals& sums, generator& random)
      : rt_(&rt), sums_(&sums), ran_(static_cast<std::size_t>(draw(random, 1, 3000))) {
    throws_at_ = draw(random, 0, 3) == 0
                     ? static_cast<std::size_t>(draw(random, 0, static_cast<int>(ran_.size()) - 1))
                     : ran_.size();
    shape_ = draw(random, 0, 3);
    seed_ = random();
  }

  void run() {
    bool caught = false;
    try {
      switch (shape_) {
        case 0:
          flat();
          break;
        case 1:
          rt_->run([&] {
            tree(0, ran_.size());
            if (throws_at_ < ran_.size()) throw failure_on_purpose{};
          });
          break;
        case 2:
          rt_->async([&] { loop(); }).get();
          break;
        default:
          nested();
      }
    } catch (const failure_on_purpose&) {
      caught = true;
    }
    account(caught);
  }

 private:
  void do_task(std::size_t i) {
    ran_[i].fetch_add(1, std::memory_order_relaxed);
    if (i == throws_at_) throw failure_on_purpose{};
  }

  // Independent tasks with costs and homes.
  void flat() {
    generator random(seed_);
    evencube::task_group group(*rt_);
    for (std::size_t i = 0; i < ran_.size(); ++i) {
      evencube::spawn_options options{.cost = static_cast<std::uint32_t>(draw(random, 1, 4))};
      const auto home = draw(random, -1, static_cast<int>(rt_->workers()) - 1);
      if (home >= 0) options.home = static_cast<unsigned>(home);
      group.spawn([this, i] { do_task(i); }, options);
    }
    group.wait();
  }

  // The exception comes at the end: thrown by a left half it may leave a right half undone.
  void tree(std::size_t first, std::size_t last) {
    if (last - first == 1) {
      ran_[first].fetch_add(1, std::memory_order_relaxed);
      return;
    }
    const std::size_t middle = first + (last - first) / 2;
    evencube::fork_join([&] { tree(first, middle); }, [&] { tree(middle, last); });
  }

  void loop() {
    evencube::parallel_for(std::size_t{0}, ran_.size(),
                           [&](std::size_t i) { ran_[i].fetch_add(1, std::memory_order_relaxed); });
    if (throws_at_ < ran_.size()) throw failure_on_purpose{};
  }

  // Groups inside tasks.
  void nested() {
    evencube::task_group group(*rt_);
    constexpr std::size_t each = 50;
    for (std::size_t first = 0; first < ran_.size(); first += each) {
      group.spawn([this, first] {
        evencube::task_group inner;
        for (std::size_t i = first; i < std::min(first + each, ran_.size()); ++i) {
          inner.spawn([this, i] { do_task(i); });
        }
        inner.wait();
      });
    }
    group.wait();
  }

  void account(bool caught) {
    std::uint64_t lost = 0;
    std::uint64_t doubled = 0;
    for (const auto& times : ran_) {
      const unsigned n = times.load(std::memory_order_relaxed);
      lost += n == 0 ? 1 : 0;
      doubled += n > 1 ? 1 : 0;
    }
    sums_->lost += lost;
    sums_->doubled += doubled;
    sums_->tasks += ran_.size();
    ++sums_->batches;
    const bool expected = throws_at_ < ran_.size();
    sums_->thrown += expected ? 1 : 0;
    if (caught != expected) ++sums_->astray;
  }

  evencube::runtime* rt_;
  totals* sums_;
  std::vector<std::atomic<unsigned char>> ran_;
  std::size_t throws_at_;
  int shape_;
  std::uint64_t seed_;
};

/// Every strategy that serves this cube, none and random stealing among them.
std::vector<std::string> strategies(const evencube::topology& cube) {
  std::vector<std::string> names{"random_stealing"};
  for (const auto& about : evencube::registered_balancers()) {
    // `optimal` takes too long to be planned thousands of times.
    if (about.name == "optimal") continue;
    if (!about.guarantees.supports || about.guarantees.supports(cube)) names.push_back(about.name);
  }
  return names;
}

void change(evencube::runtime& rt, totals& sums, generator random, const std::atomic<bool>& over) {
  const std::vector<std::string> names = strategies(rt.topology());
  while (!over) {
    const auto pick = static_cast<std::size_t>(draw(random, 0, static_cast<int>(names.size()) - 1));
    const auto how = static_cast<std::size_t>(
        draw(random, 0, static_cast<int>(evencube::all_transmissions.size()) - 1));
    rt.use_balancer(names[pick], evencube::all_transmissions[how]);
    ++sums.changes;
    if (draw(random, 0, 9) == 0) {
      static_cast<void>(rt.hold().balance());
      ++sums.holds;
    } else {
      rt.balance();
    }
    std::this_thread::sleep_for(std::chrono::microseconds(draw(random, 100, 20'000)));
  }
}

/// Waits for the end of the time, telling how it goes. False if nothing got done for a minute.
bool watch(const evencube::runtime& rt, const totals& sums, const settings& with) {
  const auto began = steady::now();
  std::uint64_t before = 0;
  auto progress = began;
  auto told = began;
  for (;;) {
    std::this_thread::sleep_for(std::chrono::milliseconds{200});
    const auto now = steady::now();
    if (now - began >= std::chrono::duration<double>(with.seconds)) return true;
    if (const std::uint64_t batches = sums.batches; batches != before) {
      before = batches;
      progress = now;
    }
    if (now - progress > std::chrono::minutes{1}) {
      std::cerr << "soak: no batch has ended for a minute\n" << rt.describe();
      return false;
    }
    if (now - told > std::chrono::seconds{10}) {
      told = now;
      std::cerr << "soak: " << std::chrono::duration_cast<std::chrono::seconds>(now - began).count()
                << " s of " << with.seconds << ", " << sums.tasks << " tasks, " << sums.changes
                << " changes of strategy\n";
    }
  }
}

int soak(const settings& with) {
  totals sums;
  evencube::runtime rt({.workers = with.workers});
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (unsigned p = 0; p < with.producers; ++p) {
    threads.emplace_back([&, random = generator(with.seed * 1000 + p)]() mutable {
      while (!over) batch(rt, sums, random).run();
    });
  }
  threads.emplace_back([&] { change(rt, sums, generator(with.seed), over); });
  if (!watch(rt, sums, with)) std::_Exit(1);  // stuck threads cannot be joined
  over = true;
  for (std::thread& t : threads) t.join();
  const evencube::statistics stats = rt.stats();
  const bool good = sums.lost == 0 && sums.doubled == 0 && sums.astray == 0;
  if (with.json) {
    std::cout << "{\"seconds\": " << with.seconds << ", \"workers\": " << with.workers
              << ", \"producers\": " << with.producers << ", \"seed\": " << with.seed
              << ", \"batches\": " << sums.batches << ", \"tasks\": " << sums.tasks
              << ", \"lost\": " << sums.lost << ", \"doubled\": " << sums.doubled
              << ", \"exceptions\": " << sums.thrown << ", \"astray\": " << sums.astray
              << ", \"changes\": " << sums.changes << ", \"holds\": " << sums.holds
              << ", \"rounds\": " << stats.rounds << ", \"moved\": " << stats.tasks_moved << "}\n";
  } else {
    std::cout << sums.tasks << " tasks in " << sums.batches << " batches by " << with.producers
              << " threads on " << with.workers << " workers: " << sums.lost << " lost, "
              << sums.doubled << " run twice, " << sums.astray << " of " << sums.thrown
              << " exceptions astray; " << sums.changes << " changes of strategy, " << sums.holds
              << " holds, " << stats.rounds << " rounds, " << stats.tasks_moved << " tasks moved\n";
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  settings with;
  CLI::App app{
      "Runs tasks of every kind from many threads while the strategy changes; counts them."};
  app.add_option("--seconds", with.seconds, "how long")->check(CLI::Range(0.1, 86400.0));
  app.add_option("--workers", with.workers, "workers of the runtime")
      ->check(CLI::Range(1U, evencube::runtime_options::max_workers));
  app.add_option("--producers", with.producers, "threads that make tasks")
      ->check(CLI::Range(1U, 256U));
  app.add_option("--seed", with.seed, "of all that is drawn");
  app.add_flag("--json", with.json, "one JSON object instead of a sentence");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return soak(with);
}
