#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <evencube/balancers/plan.hpp>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {

/// The transfers of one round, and which of them must end before which. A leader and its helpers
/// carry them out. Each transfer has two steps: the taking at its source and the putting at its
/// target. At each node one step follows another, in the order of the schedule (within a phase,
/// takings come before puttings). If phases are awaited, one phase follows another. Invariants
/// migration.helpers, migration.steps.
template <typename Atomics = std_atomics>
class basic_round_steps {
 public:
  /// The number of a step: the taking of transfer t is 2 t, the putting is 2 t + 1.
  using step = std::uint32_t;

  // -- By the leader, while no helper is inside ---------------------------------------------------

  /// Lays the plan out; no step may run before `lead`. Throws std::bad_alloc. O(transfers + nodes).
  void prepare(const plan& planned, std::size_t nodes, bool phase_by_phase);

  [[nodiscard]] const transfer& of(step s) const noexcept { return transfers_[s / 2]; }
  [[nodiscard]] static bool takes(step s) noexcept { return s % 2 == 0; }
  [[nodiscard]] node_id node_of(step s) const noexcept { return takes(s) ? of(s).from : of(s).to; }
  /// True if no later step touches the node of step `s`.
  [[nodiscard]] bool last_of_node(step s) const noexcept { return following_[s] == nothing; }
  [[nodiscard]] std::size_t size() const noexcept { return 2 * transfers_.size(); }

  /// Calls `run(step)` for each step, here or in helpers. Returns when all steps have ended and no
  /// helper is inside.
  template <typename Run>
  void lead(Run&& run) noexcept;

  // -- By any other thread -----------------------------------------------------------------------

  /// Calls `run(step)` for steps of the round under way until none is ready. Returns their number.
  template <typename Run>
  std::uint32_t help(Run&& run) noexcept;

 private:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;
  static constexpr step nothing = std::numeric_limits<step>::max();

  template <typename Run>
  std::uint32_t work(Run&& run) noexcept;
  step take_ready() noexcept;
  void make_ready(step s) noexcept;
  /// Decrements the number of steps that `s` waits for; true if `s` is ready now.
  bool credit(step s) noexcept;
  void end(step s) noexcept;
  void call_leader() noexcept;
  template <typename Done>
  void sleep_until(Done&& done) noexcept;

  std::vector<transfer> transfers_;
  std::vector<step> following_;          // the next step at the same node
  std::vector<step> phase_begins_;       // first steps, and the end; empty: no phases
  std::vector<std::uint32_t> phase_of_;  // for each transfer
  std::vector<step> last_at_;            // only while the plan is laid out
  std::size_t room_ = 0;
  std::unique_ptr<atomic<std::uint32_t>[]> waits_for_;      // counts steps, and the phase before
  std::unique_ptr<atomic<std::uint32_t>[]> ready_;          // step + 1, as they became ready
  std::unique_ptr<atomic<std::uint32_t>[]> left_in_phase_;  // counts steps

  alignas(64) atomic<std::uint32_t> ready_end_{0};
  alignas(64) atomic<std::uint32_t> ready_begin_{0};
  alignas(64) atomic<std::uint32_t> left_{0};  // counts steps
  atomic<std::uint32_t> inside_{0};            // counts helpers
  atomic<bool> open_{false};
  /// The number of times that the leader was called; `asleep_`: it sleeps until it is called.
  atomic<std::uint32_t> calls_{0};
  atomic<bool> asleep_{false};
};

template <typename Atomics>
void basic_round_steps<Atomics>::prepare(const plan& planned, std::size_t nodes,
                                         bool phase_by_phase) {
  transfers_.clear();
  phase_of_.clear();
  phase_begins_.clear();
  for (const phase& p : planned.phases) {
    if (p.empty()) continue;
    const auto number = static_cast<std::uint32_t>(phase_begins_.size());
    phase_begins_.push_back(static_cast<step>(2 * transfers_.size()));
    transfers_.insert(transfers_.end(), p.begin(), p.end());
    phase_of_.resize(transfers_.size(), number);
  }
  phase_begins_.push_back(static_cast<step>(size()));
  if (size() > room_ || waits_for_ == nullptr) {
    waits_for_ = std::make_unique<atomic<std::uint32_t>[]>(size());
    ready_ = std::make_unique<atomic<std::uint32_t>[]>(size());
    left_in_phase_ = std::make_unique<atomic<std::uint32_t>[]>(size());
    room_ = size();
  }
  following_.assign(size(), nothing);
  last_at_.assign(nodes, nothing);
  // Relaxed, here and below: `lead` publishes everything.
  const auto lay = [&](step s, std::uint32_t waits) {
    step& before = last_at_[node_of(s)];
    if (before != nothing) {
      following_[before] = s;
      ++waits;
    }
    before = s;
    waits_for_[s].store(waits, std::memory_order_relaxed);
    ready_[s].store(0, std::memory_order_relaxed);
  };
  for (std::size_t p = 0; p + 1 < phase_begins_.size(); ++p) {
    const step begin = phase_begins_[p];
    const step end = phase_begins_[p + 1];
    const std::uint32_t phase_before = phase_by_phase && p > 0 ? 1 : 0;
    for (step s = begin; s < end; s += 2) lay(s, phase_before);
    for (step s = begin + 1; s < end; s += 2) lay(s, phase_before + 1);
    left_in_phase_[p].store(end - begin, std::memory_order_relaxed);
  }
  if (!phase_by_phase) phase_begins_.clear();
  left_.store(static_cast<std::uint32_t>(size()), std::memory_order_relaxed);
  ready_begin_.store(0, std::memory_order_relaxed);
  ready_end_.store(0, std::memory_order_relaxed);
  for (step s = 0; s < size(); ++s) {
    if (waits_for_[s].load(std::memory_order_relaxed) == 0) make_ready(s);
  }
}

template <typename Atomics>
template <typename Run>
void basic_round_steps<Atomics>::lead(Run&& run) noexcept {
  // Seq_cst: pairs with the load in `help`, after which the helper sees the writes of `prepare`.
  open_.store(true, std::memory_order_seq_cst);
  sleep_until([&] {
    work(run);
    // Acquire: pairs with the release in `end`. The remaining steps are with helpers, or wait for
    // theirs.
    return left_.load(std::memory_order_acquire) == 0;
  });
  open_.store(false, std::memory_order_seq_cst);
  sleep_until([&] { return inside_.load(std::memory_order_seq_cst) == 0; });
}

template <typename Atomics>
template <typename Run>
std::uint32_t basic_round_steps<Atomics>::help(Run&& run) noexcept {
  // Relaxed: a hint, so that a worker with nothing to help with writes nothing.
  if (!open_.load(std::memory_order_relaxed)) return 0;
  // Seq_cst in all four: either this helper sees that the round is over, or the leader sees that
  // the helper is inside. And either the leader sees that the helper has left, or the helper sees
  // that the leader waits for it (migration.helpers).
  inside_.fetch_add(1, std::memory_order_seq_cst);
  const std::uint32_t done = open_.load(std::memory_order_seq_cst) ? work(run) : 0;
  inside_.fetch_sub(1, std::memory_order_seq_cst);
  if (!open_.load(std::memory_order_seq_cst)) call_leader();
  return done;
}

template <typename Atomics>
template <typename Run>
std::uint32_t basic_round_steps<Atomics>::work(Run&& run) noexcept {
  std::uint32_t done = 0;
  for (step s = take_ready(); s != nothing; s = take_ready()) {
    run(s);
    end(s);
    ++done;
  }
  return done;
}

// Steps leave in the order in which they became ready. Returns `nothing` if the next entry is still
// being written: the thread that writes it takes it afterwards, or takes an earlier one.
template <typename Atomics>
auto basic_round_steps<Atomics>::take_ready() noexcept -> step {
  std::uint32_t place = ready_begin_.load(std::memory_order_relaxed);
  while (place < size()) {
    // Acquire: pairs with the release in `make_ready`, for the writes of earlier steps.
    const std::uint32_t there = ready_[place].load(std::memory_order_acquire);
    if (there == 0) return nothing;
    if (ready_begin_.compare_exchange_weak(place, place + 1, std::memory_order_relaxed,
                                           std::memory_order_relaxed)) {
      return there - 1;
    }
  }
  return nothing;
}

template <typename Atomics>
void basic_round_steps<Atomics>::make_ready(step s) noexcept {
  const std::uint32_t place = ready_end_.fetch_add(1, std::memory_order_relaxed);
  ready_[place].store(s + 1, std::memory_order_release);  // pairs with the load in `take_ready`
}

template <typename Atomics>
bool basic_round_steps<Atomics>::credit(step s) noexcept {
  // Acq_rel: the last thread passes on the writes of the others.
  if (waits_for_[s].fetch_sub(1, std::memory_order_acq_rel) != 1) return false;
  make_ready(s);
  return true;
}

// The leader is called if more than one step became ready, and at the end.
template <typename Atomics>
void basic_round_steps<Atomics>::end(step s) noexcept {
  std::uint32_t made = 0;
  if (following_[s] != nothing && credit(following_[s])) ++made;
  if (takes(s) && credit(s + 1)) ++made;
  if (!phase_begins_.empty()) {
    const std::uint32_t p = phase_of_[s / 2];
    // Acq_rel: as in `credit`.
    if (left_in_phase_[p].fetch_sub(1, std::memory_order_acq_rel) == 1 &&
        p + 2 < phase_begins_.size()) {
      for (step next = phase_begins_[p + 1]; next < phase_begins_[p + 2]; ++next) {
        if (credit(next)) ++made;
      }
    }
  }
  // Release: pairs with the load in `lead`.
  const bool last = left_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  if (last || made > 1) call_leader();
}

template <typename Atomics>
void basic_round_steps<Atomics>::call_leader() noexcept {
  // Seq_cst in both: either the leader sees the call before it sleeps, or this thread sees that it
  // sleeps.
  calls_.fetch_add(1, std::memory_order_seq_cst);
  if (asleep_.load(std::memory_order_seq_cst)) Atomics::wake(calls_, 1);
}

template <typename Atomics>
template <typename Done>
void basic_round_steps<Atomics>::sleep_until(Done&& done) noexcept {
  for (;;) {
    const std::uint32_t seen = calls_.load(std::memory_order_seq_cst);
    if (done()) return;
    asleep_.store(true, std::memory_order_seq_cst);
    if (calls_.load(std::memory_order_seq_cst) == seen) Atomics::wait(calls_, seen);
    asleep_.store(false, std::memory_order_relaxed);
  }
}

using round_steps = basic_round_steps<>;

}  // namespace evencube::detail
