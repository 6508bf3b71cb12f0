#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include <evencube/balancers/locality.hpp>
#include <evencube/balancers/measured_line.hpp>
#include <evencube/detail/call_on.hpp>
#include <evencube/detail/sweeps.hpp>
#include <evencube/error.hpp>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>
#include <evencube/this_task.hpp>

namespace evencube::detail {

/// The runs of a loop over the items of a measured line, by the workers of a runtime. The workers'
/// places on the line are those on the locality line of the cube.
class line_run {
 public:
  line_run(runtime& rt, std::uint64_t items)
      : rt_(rt),
        runtime_id_(runtime_id_of(workers_of(rt))),
        line_(items, rt.workers()),
        sweeps_(rt.workers()),
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
    inside("balanced_loop: run()", [&] {
      run_sweeps(kind, length, 1, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
        call(first, last);
      });
    });
  }

  /// Calls `call(sweep, first, last)` for all items in each of `number` sweeps. A sweep begins when
  /// the one before it has ended.
  template <typename Call>
  void repeat(const void* kind, std::uint64_t number, const Call& call) {
    const in_use guard(busy_);
    inside("balanced_loop: repeat()", [&] {
      // Boundaries move between two series of sweeps: soon at first, when little is known.
      std::uint64_t series = 1;
      for (std::uint64_t done = 0; done < number; series = (std::min)(2 * series, longest_series)) {
        const std::uint64_t now = (std::min)(series, number - done);
        run_sweeps(kind, 1, now,
                   [&call, done](std::uint64_t sweep, std::uint64_t first, std::uint64_t last) {
                     call(done + sweep, first, last);
                   });
        done += now;
      }
    });
  }

  void resize(std::uint64_t items) {
    const in_use guard(busy_);
    line_.resize(items);
  }

 private:
  // Shorter pieces would cost more to claim and to measure than they gain in balance.
  static constexpr double least_piece_seconds = 4e-6;
  // Long enough that a new beginning, some microseconds, does not count.
  static constexpr std::uint64_t longest_series = 512;
  static_assert(longest_series < sweeps::sweep_limit);

  // The samples of one participant, on cache lines of their own.
  struct alignas(128) helper {
    std::vector<measured_line::sample> samples;
    double seconds_per_unit = 0;
  };

  // How long a participant waits between two sweeps: not at all if another worker may need its
  // processor. The clock is read at every 16th look.
  class patience {
   public:
    explicit patience(bool waits) : waits_(waits) {}
    void begin() noexcept {
      looks_ = 0;
      waited_ = sweeps::waited::too_short;
    }
    [[nodiscard]] sweeps::waited waited() noexcept {
      if (!waits_) return sweeps::waited::in_vain;
      if (++looks_ % 16 == 0) {
        const std::int64_t now = now_ns();
        if (looks_ == 16) since_ = now;
        const std::int64_t ns = now - since_;
        waited_ = ns < for_others_ns   ? sweeps::waited::too_short
                  : ns < for_owners_ns ? sweeps::waited::for_others
                  : ns < in_vain_ns    ? sweeps::waited::for_owners
                                       : sweeps::waited::in_vain;
      }
      return waited_;
    }

   private:
    // A neighbour that is on time ends its part of a short sweep before the first.
    static constexpr std::int64_t for_others_ns = 200;
    static constexpr std::int64_t for_owners_ns = 2'000;
    static constexpr std::int64_t in_vain_ns = 50'000;

    bool waits_;
    std::uint32_t looks_ = 0;
    std::int64_t since_ = 0;
    sweeps::waited waited_ = sweeps::waited::too_short;
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

  // Calls f on a worker of the runtime, unless there are no items.
  template <typename F>
  void inside(const char* caller, const F& f) {
    if (line_.items() == 0) return;
    if (current_worker != nullptr && current_worker->runtime_id() == runtime_id_) {
      f();
    } else {
      require_runtime(runtime_id_, caller);
      detail::call_on(rt_, f);
    }
  }

  template <typename Call>
  void run_sweeps(const void* kind, std::uint64_t items_per_unit, std::uint64_t number,
                  const Call& call) {
    if (line_.positions() == 1) {  // there is no other worker, and nothing to learn
      for (std::uint64_t sweep = 0; sweep < number; ++sweep) {
        call(sweep, std::uint64_t{0}, line_.items());
        ++runs_;
      }
      return;
    }
    if (const std::uint64_t moved = line_.rebalance(); moved != 0) {
      ++moves_;
      moved_ += moved;
    }
    const std::uint64_t length = lay_out(items_per_unit, number);
    // One sweep of a series is measured: what was learned in it counts from the next series on.
    const std::uint64_t measured = number / 2;

    const std::size_t here = position_of_worker();
    std::function<void(std::size_t)> participate_as;  // outlives the tasks that call it
    task_group others(rt_);
    participate_as = [&](std::size_t p) {
      participate(p, length, measured, call, [&](std::size_t q) {
        try {
          others.spawn([&participate_as, q] { participate_as(q); }, {.home = worker_at_[q]});
        } catch (const std::bad_alloc&) {
          sweeps_.set_away(q);  // the others do its part
        }
      });
    };
    try {
      for (std::size_t p = 0; p < line_.positions(); ++p) {
        if (p == here) continue;
        others.spawn([&participate_as, p] { participate_as(p); }, {.home = worker_at_[p]});
      }
      participate_as(here);
    } catch (...) {
      sweeps_.give_up();
      throw;  // once the others have ended, for which the destructor of the group waits
    }
    static_cast<void>(others.wait());
    runs_ += number;
    record(kind);
  }

  // Returns the number of items of a unit.
  std::uint64_t lay_out(std::uint64_t items_per_unit, std::uint64_t number) {
    std::uint64_t length = items_per_unit;
    while (line_.items() / length >= sweeps::unit_limit - 1) length *= 2;
    const auto units_before = [&](std::uint64_t item) {
      return static_cast<std::uint32_t>(item / length + (item % length != 0 ? 1 : 0));
    };
    sweeps_.begin(number);
    for (std::size_t p = 0; p < line_.positions(); ++p) {
      sweeps_.lay_out(p, {units_before(line_.bounds()[p]), units_before(line_.bounds()[p + 1])});
    }
    for (helper& h : helpers_) h.samples.clear();
    return length;
  }

  // A spare worker has no position of its own and begins at that of a worker.
  [[nodiscard]] std::size_t position_of_worker() const {
    return position_of_[this_worker() % position_of_.size()];
  }

  // Runs the block of the present worker first, then those of its neighbours, the nearest first.
  template <typename Call, typename CallBack>
  void participate(std::size_t index, std::uint64_t length, std::uint64_t measured,
                   const Call& call, const CallBack& call_back) {
    helper& self = helpers_[index];
    patience waiting(rt_.workers() <= rt_.hardware().units.size());
    try {
      sweeps_.participate(
          index, position_of_worker(), waiting, [&] { return least_units(self.seconds_per_unit); },
          [&](std::uint64_t sweep, sweeps::units taken) {
            const std::uint64_t first = taken.first * length;
            const bool whole = taken.last > line_.items() / length;  // or the product is too large
            const std::uint64_t last = whole ? line_.items() : taken.last * length;
            if (sweep != measured) return call(sweep, first, last);
            const std::int64_t before = now_ns();
            call(sweep, first, last);
            const double seconds = static_cast<double>(now_ns() - before) * 1e-9;
            self.samples.push_back({first, last, seconds});
            self.seconds_per_unit = seconds / taken.size();
          },
          call_back);
    } catch (...) {
      sweeps_.give_up();
      throw;
    }
  }

  static std::uint32_t least_units(double seconds_per_unit) noexcept {
    if (seconds_per_unit <= 0) return 1;
    return static_cast<std::uint32_t>(std::clamp(least_piece_seconds / seconds_per_unit, 1.0, 1e9));
  }

  void record(const void* kind) {
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
  sweeps sweeps_;
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
