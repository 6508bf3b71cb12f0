#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/measured_line.hpp>
#include <evencube/detail/call_on.hpp>
#include <evencube/detail/line_claims.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>

namespace evencube::detail {

/// The runs of a loop over the items of a measured line, by the workers of a runtime. Their places
/// on the line are those on the locality line of the cube.
class line_run {
 public:
  line_run(runtime& rt, std::uint64_t items)
      : rt_(rt),
        runtime_id_(runtime_id_of(workers_of(rt))),
        line_(items, rt.workers()),
        claims_(rt.workers()),
        helpers_(rt.workers()) {
    if (has_locality_line(rt.topology())) {
      worker_at_ = locality_line(rt.topology());
    } else {
      for (node_id k = 0; k < rt.workers(); ++k) worker_at_.push_back(k);
    }
    position_of_.resize(rt.workers());
    for (std::size_t p = 0; p < worker_at_.size(); ++p) position_of_[worker_at_[p]] = p;
    for (helper& h : helpers_) h.samples.reserve(256);
  }

  [[nodiscard]] const measured_line& line() const noexcept { return line_; }
  [[nodiscard]] unsigned worker_at(std::size_t position) const { return worker_at_[position]; }
  [[nodiscard]] std::uint64_t runs() const noexcept { return runs_; }
  [[nodiscard]] std::uint64_t moves() const noexcept { return moves_; }
  [[nodiscard]] std::uint64_t moved() const noexcept { return moved_; }

  /// Calls `call(first, last)` for ranges that together make up all items. A range consists of
  /// units of `length` items each (the last unit may be shorter). `kind` names the work: the same
  /// address stands for the same work.
  template <typename Call>
  void run(const void* kind, std::uint64_t length, const Call& call) {
    const in_use guard(busy_);
    if (line_.items() == 0) return;
    if (current_worker != nullptr && current_worker->runtime_id() == runtime_id_) {
      run_inside(kind, length, call);
    } else {
      require_runtime(runtime_id_, "balanced_loop: run()");
      detail::call_on(rt_, [&] { run_inside(kind, length, call); });
    }
  }

  void resize(std::uint64_t items) {
    const in_use guard(busy_);
    line_.resize(items);
  }

 private:
  using clock = std::chrono::steady_clock;
  // Shorter pieces would cost more to claim and to measure than they gain in balance.
  static constexpr double least_piece_seconds = 4e-6;

  // The samples of one participant, on cache lines of their own.
  struct alignas(128) helper {
    std::vector<measured_line::sample> samples;
  };

  // Marks the loop as running. Acquire and release pair with each other: a run sees what the one
  // before it left, whichever thread that was on.
  class in_use {
   public:
    explicit in_use(std::atomic<bool>& busy) : busy_(busy) {
      if (busy.exchange(true, std::memory_order_acquire)) {
        throw error("balanced_loop: a run of this loop is under way");
      }
    }
    in_use(const in_use&) = delete;
    in_use& operator=(const in_use&) = delete;
    ~in_use() { busy_.store(false, std::memory_order_release); }

   private:
    std::atomic<bool>& busy_;
  };

  template <typename Call>
  void run_inside(const void* kind, std::uint64_t items_per_unit, const Call& call) {
    if (line_.positions() == 1) {  // there is no other worker, and nothing to learn
      call(std::uint64_t{0}, line_.items());
      ++runs_;
      return;
    }
    if (const std::uint64_t moved = line_.rebalance(); moved != 0) {
      ++moves_;
      moved_ += moved;
    }
    std::uint64_t length = items_per_unit;
    while (line_.items() / length >> 31 != 0) length *= 2;  // units are counted in 32 bits
    const auto units_before = [&](std::uint64_t item) {
      return static_cast<std::uint32_t>(item / length + (item % length != 0 ? 1 : 0));
    };
    for (std::size_t p = 0; p < line_.positions(); ++p) {
      claims_.lay_out(p, {units_before(line_.bounds()[p]), units_before(line_.bounds()[p + 1])});
    }
    for (helper& h : helpers_) h.samples.clear();

    const std::size_t here = position_of_worker();
    task_group others(rt_);
    try {
      for (std::size_t p = 0; p < line_.positions(); ++p) {
        if (p == here) continue;
        others.spawn([this, p, length, &call] { participate(helpers_[p], length, call); },
                     {.home = worker_at_[p]});
      }
      participate(helpers_[here], length, call);
    } catch (...) {
      give_up();
      throw;  // once the others have ended, for which the destructor of the group waits
    }
    static_cast<void>(others.wait());
    record(kind);
  }

  // A spare worker has no position of its own and begins at that of a worker.
  [[nodiscard]] std::size_t position_of_worker() const {
    return position_of_[this_worker() % position_of_.size()];
  }

  // Runs the block of the present worker first, then the blocks of its neighbours, the nearest
  // first.
  template <typename Call>
  void participate(helper& self, std::uint64_t length, const Call& call) {
    const std::size_t here = position_of_worker();
    const std::size_t n = line_.positions();
    double seconds_per_unit = 0;
    const auto work_at = [&](std::size_t p) {
      auto before = clock::now();
      for (;;) {
        const line_claims::units taken = claims_.take(p, p == here, least_units(seconds_per_unit));
        if (taken.empty()) return;
        const std::uint64_t first = taken.first * length;
        const bool whole = taken.last > line_.items() / length;  // or else the product is too large
        const std::uint64_t last = whole ? line_.items() : taken.last * length;
        call(first, last);
        const auto now = clock::now();
        const double seconds = std::chrono::duration<double>(now - before).count();
        self.samples.push_back({first, last, seconds});
        seconds_per_unit = seconds / (taken.last - taken.first);
        before = now;
      }
    };
    try {
      work_at(here);
      const bool even = here % 2 == 0;  // its block ends where that of the next position does
      for (std::size_t d = 1; d < n; ++d) {
        for (const bool up : {even, !even}) {
          if (up ? here + d < n : here >= d) work_at(up ? here + d : here - d);
        }
      }
    } catch (...) {
      give_up();
      throw;
    }
  }

  static std::uint32_t least_units(double seconds_per_unit) noexcept {
    if (seconds_per_unit <= 0) return 1;
    return static_cast<std::uint32_t>(std::clamp(least_piece_seconds / seconds_per_unit, 1.0, 1e9));
  }

  // Takes all units, so that no participant begins any more.
  void give_up() noexcept {
    for (std::size_t p = 0; p < line_.positions(); ++p) {
      while (!claims_.take(p, true, (std::numeric_limits<std::uint32_t>::max)()).empty()) continue;
    }
  }

  void record(const void* kind) {
    ++runs_;
    const auto known = std::find(kinds_.begin(), kinds_.end(), kind);
    const auto place = static_cast<std::size_t>(known - kinds_.begin());
    if (known == kinds_.end()) kinds_.push_back(kind);
    std::vector<measured_line::sample>& all = helpers_.front().samples;
    for (std::size_t k = 1; k < helpers_.size(); ++k) {
      all.insert(all.end(), helpers_[k].samples.begin(), helpers_[k].samples.end());
    }
    line_.record(place, all);
  }

  runtime& rt_;
  std::uint64_t runtime_id_;
  measured_line line_;
  line_claims claims_;
  std::vector<helper> helpers_;
  std::vector<node_id> worker_at_;
  std::vector<std::size_t> position_of_;
  std::vector<const void*> kinds_;
  std::uint64_t runs_ = 0;
  std::uint64_t moves_ = 0;
  std::uint64_t moved_ = 0;
  std::atomic<bool> busy_{false};
};

}  // namespace evencube::detail
