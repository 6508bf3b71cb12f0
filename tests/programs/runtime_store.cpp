#include <algorithm>
#include <array>
#include <utility>

#include "interpret.hpp"

namespace evencube::programs {

namespace {

/// What cannot be changed while a runtime lives.
bool made_alike(const setting& a, const setting& b) {
  return a.workers == b.workers && a.mode == b.mode && a.pulls == b.pulls && a.pin == b.pin &&
         a.largest_first == b.largest_first && a.period == b.period && a.threshold == b.threshold &&
         a.capacity == b.capacity && a.spares == b.spares && a.hot == b.hot &&
         a.checks == b.checks && a.measures == b.measures && a.tells == b.tells &&
         a.lasting == b.lasting;
}

/// So that not every program makes one after all.
setting usual(setting s) {
  s.period = 0;
  s.threshold = 256;
  s.pin = s.mode != 2;
  s.largest_first = s.mode != 1;
  s.checks = s.pulls;
  s.hot = s.mode % 3;
  s.measures = s.mode % 2 == 0;
  s.tells = static_cast<telling>(s.mode % 3);
  return s;
}

constexpr std::size_t most_kept = 6;

/// Those of static storage when no program uses them any more.
std::vector<std::unique_ptr<runtime>>& lasting_ones() {
  static std::vector<std::unique_ptr<runtime>> all;
  return all;
}

}  // namespace

runtime_store::~runtime_store() {
  for (entry& e : kept_) {
    if (e.made_as.lasting) lasting_ones().push_back(std::move(e.rt));
  }
}

std::unique_ptr<runtime> runtime_store::make(const setting& s,
                                             const std::shared_ptr<watcher>& watching) {
  static constexpr std::array modes{balancer_mode::automatic, balancer_mode::thread,
                                    balancer_mode::on_idle, balancer_mode::on_demand};
  return std::make_unique<runtime>(runtime_options{.workers = s.workers,
                                                   .spare_workers = s.spares,
                                                   .balancer = s.balancer,
                                                   .transmission = s.transmission,
                                                   .mode = modes[static_cast<std::size_t>(s.mode)],
                                                   .pulls = s.pulls,
                                                   .largest_first = s.largest_first,
                                                   .pin = s.pin,
                                                   .period = std::chrono::microseconds{s.period},
                                                   .threshold = s.threshold,
                                                   .injection_capacity = s.capacity,
                                                   .hotness = static_cast<hotness>(s.hot),
                                                   .check_waits = s.checks,
                                                   .measured_costs = s.measures,
                                                   .experimental = {.measured_speeds = s.measures},
                                                   .observer = observer_of(s, watching)});
}

std::vector<runtime_in_use> runtime_store::acquire(const program& p) {
  {
    const std::lock_guard lock(mutex_);
    for (entry& e : kept_) e.taken_as = -1;
  }
  std::vector<runtime_in_use> found;
  for (const setting& wanted : p.runtimes) {
    if (p.fresh) {
      auto watching = std::make_shared<watcher>(wanted.workers + wanted.spares);
      auto made = make(wanted, watching);
      found.push_back({made.get(), std::move(watching), wanted.tells == telling::of_tasks});
      const std::lock_guard lock(mutex_);
      fresh_.push_back(std::move(made));
    } else {
      found.push_back(keep(usual(wanted), static_cast<int>(found.size())));
    }
  }
  return found;
}

runtime_in_use runtime_store::keep(const setting& s, int as) {
  // Only this thread changes the list, so it may read it without the lock.
  const auto is_free = [](const entry& e) { return e.taken_as < 0; };
  // Always the same place among a program's runtimes: which waits for which is fixed for life.
  auto known = std::ranges::find_if(
      kept_, [&](const entry& e) { return e.place == as && made_alike(e.made_as, s); });
  if (known == kept_.end()) {
    if (kept_.size() >= most_kept) {
      const auto oldest = std::ranges::find_if(kept_, is_free);
      forget(oldest - kept_.begin());
    }
    auto watching = std::make_shared<watcher>(s.workers + s.spares);
    auto made = make(s, watching);
    const std::lock_guard lock(mutex_);
    kept_.push_back({s, std::move(made), std::move(watching), as});
    known = kept_.end() - 1;
  }
  {
    const std::lock_guard lock(mutex_);
    known->taken_as = as;
  }
  known->rt->use_balancer(s.balancer, {}, s.transmission);
  return {known->rt.get(), known->watching, s.tells == telling::of_tasks};
}

void runtime_store::forget(std::ptrdiff_t index) {
  std::unique_ptr<runtime> gone;  // destroyed without the lock
  const std::lock_guard lock(mutex_);
  gone = std::move(kept_[static_cast<std::size_t>(index)].rt);
  kept_.erase(kept_.begin() + index);
}

void runtime_store::end_fresh() {
  for (auto& rt : fresh_) {
    delete rt.get();  // it stays in the list until it is gone, for `describe`
    const std::lock_guard lock(mutex_);
    static_cast<void>(rt.release());
  }
  const std::lock_guard lock(mutex_);
  fresh_.clear();
}

std::string runtime_store::describe() const {
  const std::lock_guard lock(mutex_);
  std::string all;
  for (const entry& e : kept_) {
    if (e.taken_as < 0 || e.rt == nullptr) continue;
    all +=
        "runtime " + std::string(1, static_cast<char>('a' + e.taken_as)) + ":\n" + e.rt->describe();
  }
  char name = 'a';
  for (const auto& rt : fresh_) {
    all += "runtime " + std::string(1, name++);
    all += rt != nullptr ? " (made for this program):\n" + rt->describe() : " is gone\n";
  }
  return all;
}

}  // namespace evencube::programs
