#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace evencube::simulator {

/// An event at `time` >= 0. `key` is the kind of event, and orders events that have the same time.
/// So the order is total, and depends neither on the queue nor on the order of pushes.
struct event {
  double time;
  std::uint64_t key;

  friend bool operator==(const event&, const event&) = default;
};

/// Returns true if a happens before b. Non-negative doubles compare like the integers with the same
/// bits.
[[nodiscard]] inline bool before(const event& a, const event& b) noexcept {
  const auto x = std::bit_cast<std::uint64_t>(a.time);
  const auto y = std::bit_cast<std::uint64_t>(b.time);
  return x < y || (x == y && a.key < b.key);
}

/// An implicit heap with Arity children per node: push and pop take O(log n). The bucket queue
/// contains this heap, and is tested and measured against it.
template <std::size_t Arity>
class heap_queue {
 public:
  /// Returns true if the queue has no events.
  [[nodiscard]] bool empty() const noexcept { return events_.empty(); }
  /// Returns the number of events.
  [[nodiscard]] std::size_t size() const noexcept { return events_.size(); }
  /// Returns the bytes of memory that the queue takes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    return events_.capacity() * sizeof(event);
  }

  /// Adds an event. O(log n).
  void push(event e) {
    std::size_t hole = events_.size();
    events_.push_back(e);
    while (hole > 0) {
      const std::size_t parent = (hole - 1) / Arity;
      if (!before(e, events_[parent])) break;
      events_[hole] = events_[parent];
      hole = parent;
    }
    events_[hole] = e;
  }

  /// Removes and returns the earliest event. The queue must not be empty.
  event pop() {
    const event top = events_.front();
    const event last = events_.back();
    events_.pop_back();
    if (!events_.empty()) sift_down(0, last);
    return top;
  }

  /// Like pop(), for code that works with either queue. `announce` is never called.
  template <class Announce>
  event pop(Announce&&) {
    return pop();
  }

  /// Takes over the events of `batch`, which may be in any order, and leaves `batch` empty. This
  /// queue must be empty. O(n).
  void adopt(std::vector<event>& batch) {
    events_.swap(batch);
    batch.clear();
    if (events_.size() < 2) return;
    for (std::size_t i = (events_.size() - 2) / Arity + 1; i-- > 0;) sift_down(i, events_[i]);
  }

 private:
  void sift_down(std::size_t hole, event e) {
    const std::size_t count = events_.size();
    while (true) {
      const std::size_t first = hole * Arity + 1;
      if (first >= count) break;
      const std::size_t end = (std::min)(first + Arity, count);
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(events_[child], events_[least])) least = child;
      }
      if (!before(events_[least], e)) break;
      events_[hole] = events_[least];
      hole = least;
    }
    events_[hole] = e;
  }

  std::vector<event> events_;
};

/// A queue that takes amortised O(1) time per event. Time is divided into epochs, and an epoch into
/// buckets of equal width:
///   - events of the current bucket are in a small heap that stays in the L1 cache,
///   - events of later buckets of this epoch are unsorted in their buckets,
///   - events beyond the epoch are unsorted in one overflow list.
/// When an epoch has ended, a new epoch is made from the overflow list. Its bucket width gives
/// about 24 events per bucket at the event rate seen so far. Each epoch pops at least as many
/// events as were pending at its start, so each event moves a bounded number of times. If all
/// events fall into one bucket, the queue is just the heap; so O(log n) is its worst case.
class bucket_queue {
 public:
  /// Returns true if the queue has no events.
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  /// Returns the number of events.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  /// Returns the bytes of memory that the queue takes.
  [[nodiscard]] std::size_t memory_bytes() const noexcept {
    std::size_t bytes = near_.memory_bytes() + overflow_.capacity() * sizeof(event) +
                        buckets_.capacity() * sizeof(buckets_[0]);
    for (const auto& bucket : buckets_) bytes += bucket.capacity() * sizeof(event);
    return bytes;
  }

  /// Adds an event with a finite time, not before the time of the last event popped.
  void push(event e) {
    ++size_;
    const double at = position(e);
    if (at < static_cast<double>(buckets_in_use_)) {
      const auto bucket = static_cast<std::size_t>(at);
      if (bucket <= current_) {
        near_.push(e);
      } else {
        buckets_[bucket].push_back(e);
      }
    } else {
      overflow_.push_back(e);
    }
  }

  /// Removes and returns the earliest event. The queue must not be empty. When a bucket becomes
  /// current, calls announce(event) for each of its events, shortly before they are popped;
  /// `announce` may prefetch.
  template <class Announce>
  event pop(Announce&& announce) {
    while (near_.empty()) next_bucket(announce);
    --size_;
    ++popped_;
    return near_.pop();
  }

  /// Removes and returns the earliest event. The queue must not be empty.
  event pop() {
    return pop([](const event&) {});
  }

 private:
  static constexpr double events_per_bucket = 24;
  static constexpr std::size_t fewest_buckets = 16;
  static constexpr std::size_t most_buckets = std::size_t{1} << 22;

  // The position is monotone in time, so an earlier bucket holds only earlier events. Every
  // insertion in an epoch uses this expression.
  [[nodiscard]] double position(const event& e) const noexcept {
    return (e.time - start_) * buckets_per_unit_;
  }

  template <class Announce>
  void next_bucket(Announce&& announce) {
    while (++current_ < buckets_in_use_) {
      auto& bucket = buckets_[current_];
      if (bucket.empty()) continue;
      for (const event& e : bucket) announce(e);
      near_.adopt(bucket);
      return;
    }
    next_epoch();
  }

  void next_epoch() {
    const std::size_t pending = overflow_.size();
    const auto middle = overflow_.begin() + static_cast<std::ptrdiff_t>(pending / 2);
    std::nth_element(overflow_.begin(), middle, overflow_.end(), before);
    const double first = std::min_element(overflow_.begin(), middle + 1, before)->time;

    // The event rate: that of the last epoch, or else that of the pending events.
    const double elapsed = first - start_;
    const double half = middle->time - first;
    double rate = 0;
    if (popped_ > pending / 2 && elapsed > 0) {
      rate = static_cast<double>(popped_) / elapsed;
    } else if (half > 0) {
      rate = static_cast<double>(pending / 2) / half;
    }
    popped_ = 0;
    start_ = first;
    current_ = 0;
    if (rate > 0) {
      const double wanted = 2 * static_cast<double>(pending) / events_per_bucket;
      buckets_in_use_ = std::clamp(static_cast<std::size_t>(wanted), fewest_buckets, most_buckets);
      buckets_per_unit_ = (std::min)(rate / events_per_bucket, instant);
    } else {  // all known events have the same time: one bucket of zero width
      buckets_in_use_ = 1;
      buckets_per_unit_ = instant;
    }
    if (buckets_.size() < buckets_in_use_) buckets_.resize(buckets_in_use_);

    const auto limit = static_cast<double>(buckets_in_use_);
    std::size_t kept = 0;
    for (const event& e : overflow_) {
      const double at = position(e);
      if (at < limit) {
        buckets_[static_cast<std::size_t>(at)].push_back(e);
      } else {
        overflow_[kept++] = e;
      }
    }
    overflow_.resize(kept);
    near_.adopt(buckets_[0]);
  }

  // So large that any later representable time is beyond the only bucket.
  static constexpr double instant = 1e290;

  heap_queue<4> near_;
  std::vector<std::vector<event>> buckets_;
  std::vector<event> overflow_;
  double start_ = 0;
  double buckets_per_unit_ = instant;
  std::size_t buckets_in_use_ = 0;  // 0 until the first pop: all events overflow
  std::size_t current_ = 0;
  std::size_t size_ = 0;
  std::size_t popped_ = 0;
};

}  // namespace evencube::simulator
