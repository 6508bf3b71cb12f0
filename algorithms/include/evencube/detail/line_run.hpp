#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
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
#include <evencube/detail/loop_pace.hpp>
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
  [[nodiscard]] std::uint64_t runs() const noexcept { return counted_.runs; }
  [[nodiscard]] std::uint64_t moves() const noexcept { return counted_.moves; }
  [[nodiscard]] std::uint64_t moved() const noexcept { return counted_.moved; }

  /// Calls `call(first, last)` for ranges that together make up all items. A range consists of
  /// units of `length` items each (the last unit may be shorter). `kind` names the work: the same
  /// address stands for the same work.
  template <typename Call>
  void run(const void* kind, std::uint64_t length, const Call& call) {
    const in_use guard(busy_);
    inside("balanced_loop: run()", [&] { run_once(kind, length, call); });
  }

  /// Calls `call(sweep, first, last)` for all items in each of `number` sweeps. A sweep begins when
  /// the one before it has ended.
  template <typename Call>
  void repeat(const void* kind, std::uint64_t number, const Call& call) {
    const in_use guard(busy_);
    inside("balanced_loop: repeat()", [&] {
      work_kind& work = work_of(kind);
      if (line_.positions() == 1) {
        for (std::uint64_t sweep = 0; sweep < number; ++sweep, ++counted_.runs) {
          call(sweep, std::uint64_t{0}, line_.items());
        }
        return;
      }
      // Boundaries move between two series of sweeps: soon at first, when little is known.
      std::uint64_t series = 1;
      for (std::uint64_t done = 0; done < number; series = (std::min)(2 * series, longest_series)) {
        const std::uint64_t now = (std::min)(series, number - done);
        run_sweeps(work, 1, now, true,
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
    counted_.runs_since_shift = 0;
  }

 private:
  // Shorter pieces would cost more to claim and to measure than they gain in balance.
  static constexpr double least_piece_seconds = 4e-6;
  // Long enough that a new beginning, some microseconds, does not count.
  static constexpr std::uint64_t longest_series = 512;
  // After a run that was measured, as many are not that measuring takes at most a twentieth of
  // their time, but no more than this number.
  static constexpr std::int64_t worth = 20;
  static constexpr std::int64_t longest_rest = 63;
  static_assert(longest_series < sweeps::sweep_limit);

  // The samples of one participant, on cache lines of their own.
  struct alignas(128) helper {
    std::vector<measured_line::sample> samples;
  };

  struct counters {
    std::uint64_t runs = 0;
    std::uint64_t moves = 0;
    std::uint64_t moved = 0;
    std::uint64_t runs_since_shift = 0;
  };

  // The runs with the same body.
  struct work_kind {
    work_kind(const void* kind, std::size_t place) : is(kind), number(place) {}

    const void* is;
    std::size_t number;
    loop_pace pace;
    std::uint64_t unmeasured = 0;  // runs since the last one that was measured
    std::uint64_t rest = 0;        // the number of runs between two measured ones
    double seconds_per_item = 0;   // in the last run that was measured
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

  // The kinds of a loop are few.
  work_kind& work_of(const void* kind) {
    for (work_kind& known : kinds_) {
      if (known.is == kind) return known;
    }
    return kinds_.emplace_back(kind, kinds_.size());
  }

  // Runs that are short, or no faster with others, are in place, as those of `parallel_for` are.
  template <typename Call>
  void run_once(const void* kind, std::uint64_t items_per_unit, const Call& call) {
    if (line_.positions() == 1) {  // there is no other worker, and nothing to learn
      call(std::uint64_t{0}, line_.items());
      ++counted_.runs;
      return;
    }
    work_kind& work = work_of(kind);
    const auto items = static_cast<std::size_t>(line_.items());
    const auto sweep = [&call](std::uint64_t, std::uint64_t first, std::uint64_t last) {
      call(first, last);
    };
    const std::int64_t began = now_ns();
    const loop_pace::way way = work.pace.way_of(items);
    if (way == loop_pace::way::shared || current_worker->notes_tasks()) {
      const bool measures = work.unmeasured >= work.rest;
      const std::int64_t measuring = run_sweeps(work, items_per_unit, 1, measures, sweep);
      work.pace.was_shared(items, now_ns() - began - measuring);
      return;
    }
    const std::uint64_t done =
        run_in_place(length_of_unit(items_per_unit), began + work.pace.limit_of(items), call);
    const bool in_time = done == line_.items();
    if (in_time) {
      ++counted_.runs;
    } else {
      run_sweeps(work, items_per_unit, 1, false, sweep, done);
    }
    const bool tried = way == loop_pace::way::tried_in_place;
    if (!in_time || tried || current_worker->loops().timed_in_place()) {
      work.pace.ran_in_place(items, now_ns() - began);
      if (current_worker->wanted()) current_worker->poll();
    }
  }

  // Runs a quarter of the items, another one, and the rest. Stops in between at the time `until`.
  // Returns the number of items done: whole units, or all.
  template <typename Call>
  std::uint64_t run_in_place(std::uint64_t length, std::int64_t until, const Call& call) {
    const std::uint64_t all = line_.items();
    const std::uint64_t quarter = (std::max)(all / 4 / length, std::uint64_t{1}) * length;
    std::uint64_t done = 0;
    for (int part = 0; done < all; ++part) {
      const std::uint64_t n = part < 2 && quarter < all - done ? quarter : all - done;
      call(done, done + n);
      done += n;
      if (done < all && now_ns() >= until) break;
    }
    return done;
  }

  // Runs `number` sweeps over the items from `first_item` on, with all workers. Returns how long
  // the caller took to move boundaries and to record, which it does if `measures`.
  template <typename Call>
  std::int64_t run_sweeps(work_kind& work, std::uint64_t items_per_unit, std::uint64_t number,
                          bool measures, const Call& call, std::uint64_t first_item = 0) {
    const std::int64_t began = measures ? now_ns() : 0;
    if (measures) shift();
    const std::int64_t shifted = measures ? now_ns() : 0;
    const std::uint64_t length = lay_out(items_per_unit, number, first_item);
    // One sweep of a series is measured: what was learned in it counts from the next series on.
    const std::uint64_t measured = measures ? number / 2 : number;

    const std::size_t here = position_of_worker();
    std::function<void(std::size_t)> participate_as;  // outlives the tasks that call it
    task_group others(rt_);
    participate_as = [&](std::size_t p) {
      participate(p, length, measured, work, call, [&](std::size_t q) {
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
    counted_.runs += number;
    counted_.runs_since_shift += number;
    work.unmeasured += number;
    if (!measures) return 0;
    const std::int64_t ended = now_ns();
    record(work);
    const std::int64_t each = (ended - shifted) / static_cast<std::int64_t>(number) + 1;
    const std::int64_t cost = now_ns() - ended + shifted - began;
    work.rest = static_cast<std::uint64_t>((std::min)(cost * worth / each, longest_rest));
    return cost;
  }

  // The number of items of a unit. There are fewer units than `sweeps` can have.
  [[nodiscard]] std::uint64_t length_of_unit(std::uint64_t items_per_unit) const noexcept {
    std::uint64_t length = items_per_unit;
    while (line_.items() / length >= sweeps::unit_limit - 1) length *= 2;
    return length;
  }

  // Returns the number of items of a unit. The items before `first_item` have been done.
  std::uint64_t lay_out(std::uint64_t items_per_unit, std::uint64_t number,
                        std::uint64_t first_item) {
    const std::uint64_t length = length_of_unit(items_per_unit);
    const auto units_before = [&](std::uint64_t item) {
      return static_cast<std::uint32_t>(item / length + (item % length != 0 ? 1 : 0));
    };
    sweeps_.begin(number);
    for (std::size_t p = 0; p < line_.positions(); ++p) {
      sweeps_.lay_out(p, {units_before((std::max)(first_item, line_.bounds()[p])),
                          units_before((std::max)(first_item, line_.bounds()[p + 1]))});
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
                   const work_kind& work, const Call& call, const CallBack& call_back) {
    double seconds_per_item = work.seconds_per_item;
    patience waiting(rt_.workers() <= rt_.hardware().units.size());
    try {
      sweeps_.participate(
          index, position_of_worker(), waiting,
          [&] { return least_units(seconds_per_item * static_cast<double>(length)); },
          [&](std::uint64_t sweep, sweeps::units taken) {
            const std::uint64_t first = taken.first * length;
            const bool whole = taken.last > line_.items() / length;  // or the product is too large
            const std::uint64_t last = whole ? line_.items() : taken.last * length;
            if (sweep != measured) return call(sweep, first, last);
            const std::int64_t before = now_ns();
            call(sweep, first, last);
            const double seconds = static_cast<double>(now_ns() - before) * 1e-9;
            helpers_[index].samples.push_back({first, last, seconds});
            seconds_per_item = seconds / static_cast<double>(last - first);
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

  // Moves the boundaries if that is worth its cost.
  void shift() {
    const std::uint64_t moved = line_.rebalance(std::exchange(counted_.runs_since_shift, 0));
    if (moved == 0) return;
    ++counted_.moves;
    counted_.moved += moved;
  }

  void record(work_kind& work) {
    std::vector<measured_line::sample>& all = helpers_.front().samples;
    for (std::size_t k = 1; k < helpers_.size(); ++k) {
      all.insert(all.end(), helpers_[k].samples.begin(), helpers_[k].samples.end());
    }
    double seconds = 0;
    double items = 0;
    for (const measured_line::sample& each : all) {
      seconds += each.seconds;
      items += static_cast<double>(each.last - each.first);
    }
    if (items > 0) work.seconds_per_item = seconds / items;
    line_.record(work.number, all, std::exchange(work.unmeasured, 0));
  }

  runtime& rt_;
  std::uint64_t runtime_id_;
  measured_line line_;
  sweeps sweeps_;
  std::vector<helper> helpers_;
  std::vector<node_id> worker_at_;
  std::vector<std::size_t> position_of_;
  std::deque<work_kind> kinds_;
  counters counted_;
  std::atomic<bool> busy_{false};
};

}  // namespace evencube::detail
