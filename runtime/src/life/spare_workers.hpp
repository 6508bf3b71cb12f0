#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/futex_lock.hpp>

namespace evencube::detail {

/// Records which spare workers hold the places of workers in blocking scopes, and which are parked.
/// Workers are numbered from 0; the numbers of spare workers follow. Invariants
/// blocking.one-holder, blocking.counted, blocking.nothing-lost.
template <typename Policy>
class basic_spare_workers {
 public:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  basic_spare_workers(std::uint32_t workers, std::uint32_t spares)
      : workers_(workers), everyone_(workers + spares), seats_(workers + spares) {
    for (std::uint32_t k = workers; k < seats_.size(); ++k) set_absent(k, true);
  }

  /// The number of all workers, spare or not.
  [[nodiscard]] std::uint32_t everyone() const noexcept { return everyone_; }

  /// Worker k, whose tasks are all in the reach of others, enters a blocking scope. Returns the
  /// spare worker that holds its place from now on, which the caller rings; none if no spare worker
  /// is left, or k has no place. Of the spare workers that are leaving, prefers one that holds this
  /// place and runs a task. A spare worker that sleeps in a wait (`waits(k)`) is the last choice.
  /// O(spares).
  template <typename Waits>
  std::uint32_t lend(std::uint32_t k, Waits&& waits) noexcept {
    const std::lock_guard guard(lock_);
    seat& from = seats_[k];
    set_absent(k, true);
    std::uint32_t spare = none;
    // A spare worker that is leaving works next to the owner of its place, and has no place to
    // lend.
    if (k < workers_ || state_of(k) == state::lent) {
      const std::uint32_t place = place_of(k);
      spare = choose(place, waits);
      if (spare != none) {
        seats_[spare].place.store(place, std::memory_order_relaxed);
        from.lent_to = spare;
      }
    }
    const bool fresh = spare != none && state_of(spare) == state::parked;
    if (fresh) set_absent(spare, false);
    if (spare != none) seats_[spare].now.store(state::lent, std::memory_order_release);
    // Seq_cst: done before the gate is read (invariant blocking.counted), and before work is looked
    // for (parking.last-look).
    counts_.fetch_add(one_in_scope + (fresh ? one_active : 0), std::memory_order_seq_cst);
    return spare;
  }

  /// Worker k comes back. Every spare worker to which its place was lent, directly or through other
  /// spare workers, is asked to leave, and `ring(spare)` is called for each. The caller reads the
  /// gate afterwards.
  template <typename Ring>
  void give_back(std::uint32_t k, Ring&& ring) noexcept {
    const std::lock_guard guard(lock_);
    set_absent(k, false);
    std::uint32_t from = k;
    while (seats_[from].lent_to != none) {
      const std::uint32_t spare = seats_[from].lent_to;
      seats_[from].lent_to = none;
      seats_[spare].now.store(state::leaving, std::memory_order_release);
      ring(spare);
      from = spare;
    }
    // Seq_cst: done before the gate is read (invariant blocking.counted).
    counts_.fetch_sub(one_in_scope, std::memory_order_seq_cst);
  }

  /// Spare worker k has no tasks left and parks. Returns false if a place was lent to it again, or
  /// if it takes over a place that found no spare worker. O(workers + spares) while some worker is
  /// in a scope.
  bool retire(std::uint32_t k) noexcept {
    const std::lock_guard guard(lock_);
    if (state_of(k) != state::leaving) return false;
    if (in_scopes() != 0 && Policy::checks("blocking.one-holder") && take_over(k)) return false;
    seats_[k].now.store(state::parked, std::memory_order_relaxed);
    set_absent(k, true);
    // Seq_cst: done before work is looked for (parking.last-look). Release: the holder may act for
    // this worker from now on.
    counts_.fetch_sub(one_active, std::memory_order_seq_cst);
    return true;
  }

  /// The place that spare worker k holds, or held last. Any other worker has its own place.
  [[nodiscard]] std::uint32_t place_of(std::uint32_t k) const noexcept {
    return k < workers_ ? k : seats_[k].place.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool active(std::uint32_t k) const noexcept {
    // Acquire: pairs with the release in `lend`.
    return seats_[k].now.load(std::memory_order_acquire) != state::parked;
  }
  /// True while spare worker `k` is assigned to `place`. Acquire: as in `active`; also pairs with
  /// the releases where the worker is asked to leave or takes a place over.
  [[nodiscard]] bool lent_at(std::uint32_t k, std::uint32_t place) const noexcept {
    return seats_[k].now.load(std::memory_order_acquire) == state::lent && place_of(k) == place;
  }
  /// True if no thread takes what is sent to worker k, because it is in a scope, or parked.
  /// Seq_cst: read after something has been sent; pairs with the store in `set_absent`, after which
  /// the leaving worker looks for work (parking.last-look).
  [[nodiscard]] bool absent(std::uint32_t k) const noexcept {
    return seats_[k].absent.load(std::memory_order_seq_cst);
  }
  /// True if worker k is in a scope and no spare worker holds its place. Takes the lock if the
  /// worker is absent.
  [[nodiscard]] bool vacated(std::uint32_t k) const noexcept {
    if (!absent(k)) return false;
    const std::lock_guard guard(lock_);
    return seats_[k].absent.load(std::memory_order_relaxed) && seats_[k].lent_to == none;
  }

  /// The number of spare workers that are not parked, less the number of workers in scopes. By this
  /// number the threads that run tasks, or may run them, exceed the workers. Seq_cst: pairs with
  /// the changes above.
  [[nodiscard]] std::int64_t surplus() const noexcept {
    const std::uint64_t counts = counts_.load(std::memory_order_seq_cst);
    return static_cast<std::int64_t>(counts / one_active) -
           static_cast<std::int64_t>(counts % one_active);
  }
  [[nodiscard]] bool any_active() const noexcept {
    return counts_.load(std::memory_order_seq_cst) >= one_active;
  }
  /// The number of workers in scopes, for people.
  [[nodiscard]] std::uint64_t in_scopes() const noexcept {
    return counts_.load(std::memory_order_relaxed) % one_active;
  }

 private:
  template <typename T>
  using atomic = typename Policy::template atomic<T>;

  enum class state : std::uint32_t { parked, lent, leaving };
  static constexpr std::uint64_t one_in_scope = 1;
  static constexpr std::uint64_t one_active = std::uint64_t{1} << 32;

  /// The state of one worker. It changes under the lock. The atomic members are read without the
  /// lock.
  struct seat {
    atomic<state> now{state::parked};  // used by spare workers only
    atomic<std::uint32_t> place{0};    // used by spare workers only
    atomic<bool> absent{false};
    typename Policy::template plain<std::uint32_t> lent_to{none};
  };

  [[nodiscard]] state state_of(std::uint32_t k) const noexcept {
    return seats_[k].now.load(std::memory_order_relaxed);
  }
  void set_absent(std::uint32_t k, bool value) noexcept {
    seats_[k].absent.store(value, std::memory_order_seq_cst);
  }

  /// Lends to spare worker k the first place whose holder is in a scope and found no spare worker.
  bool take_over(std::uint32_t k) noexcept {
    for (std::uint32_t j = 0; j < seats_.size(); ++j) {
      seat& from = seats_[j];
      if (!from.absent.load(std::memory_order_relaxed) || from.lent_to != none) continue;
      if (j >= workers_ && state_of(j) != state::lent) continue;  // this spare worker has no place
      from.lent_to = k;
      seats_[k].place.store(place_of(j), std::memory_order_relaxed);
      seats_[k].now.store(state::lent, std::memory_order_release);
      return true;
    }
    return false;
  }

  template <typename Waits>
  std::uint32_t choose(std::uint32_t place, Waits&& waits) const noexcept {
    std::uint32_t best = none;
    std::uint32_t least = 4;
    for (std::uint32_t k = workers_; k < seats_.size(); ++k) {
      if (state_of(k) == state::lent) continue;
      std::uint32_t cost = 1;
      if (state_of(k) == state::leaving) {
        if (seats_[k].absent.load(std::memory_order_relaxed)) continue;  // in a scope of its own
        cost = waits(k) ? 3 : place_of(k) == place ? 0 : 2;
      }
      if (cost < least) {
        least = cost;
        best = k;
      }
    }
    return best;
  }

  const std::uint32_t workers_;
  const std::uint32_t everyone_;
  mutable basic_futex_lock<Policy> lock_;
  std::vector<seat> seats_;
  /// The number of spare workers that are not parked in the upper half, and of workers in scopes in
  /// the lower half.
  atomic<std::uint64_t> counts_{0};
};

}  // namespace evencube::detail
