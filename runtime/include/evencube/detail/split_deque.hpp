#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include <evencube/detail/atomics.hpp>
#include <evencube/detail/least.hpp>
#include <evencube/detail/task.hpp>

namespace evencube::detail {

/// The queue of one worker: a sequence of slots whose new end is private to the owner and whose old
/// end is shared. The owner pushes and pops at the new end with plain loads and stores. Any thread
/// takes any number of the oldest shared tasks with one compare-and-swap. The protocol and its
/// invariants (queue.word, queue.copied, queue.buffers, queue.newest, queue.requests) are explained
/// in runtime/src/queues/deque.md.
///
/// `word_` packs (tail, split) as two 32-bit indices that wrap: [tail, split) is shared, [split,
/// head) is private. Indices map to memory through a `buffer`, a straight piece of slots that
/// begins at index `base`. When the end of a buffer is reached, the owner moves the remaining slots
/// to another one.
///
/// `Atomics` injects the atomic template, so that tests explore the interleavings of this code.
template <typename Atomics = std_atomics>
class basic_split_deque {
 public:
  template <typename T>
  using atomic = typename Atomics::template atomic<T>;
  using slot = atomic<slot_word>;

  static constexpr std::size_t default_capacity = 1024;

  explicit basic_split_deque(std::size_t capacity = default_capacity) {
    buffer* first = add_buffer(detail::greatest<std::size_t>(capacity, 8));
    // A buffer to move to. If memory runs out, the queue goes on in these two.
    add_buffer(first->capacity_);
    install(first, first->first(), first->first());
    buffer_.store(first, std::memory_order_relaxed);
  }
  basic_split_deque(const basic_split_deque&) = delete;
  basic_split_deque& operator=(const basic_split_deque&) = delete;
  ~basic_split_deque() = default;

  // -- Owner, hot --------------------------------------------------------------------------------

  /// Appends a slot and returns its place. If `needs_attention` of that place is true, the caller
  /// must call `make_room` at once. One store of the slot, one of the head: no read-modify-write,
  /// no fence.
  slot* push(slot_word word) noexcept {
    slot* const place = head_.load(std::memory_order_relaxed);
    place->store(word, std::memory_order_relaxed);
    head_.store(place + 1, std::memory_order_relaxed);
    return place;
  }

  /// Like `push`, for a task that may cost more than one quantum.
  slot* push_costly(slot_word word) noexcept {
    if (extra_of(word) != 0) {
      extra_.fetch_add(extra_of(word), std::memory_order_relaxed);
      ++costly_;
    }
    return push(word);
  }

  /// True if the slot just written was the last one, or if a thread demanded the owner's attention.
  [[nodiscard]] bool needs_attention(const slot* place) const noexcept {
    return place >= limit_.load(std::memory_order_relaxed);
  }

  /// True if the next push needs no attention, judging by the demands so far.
  [[nodiscard]] bool quiet() const noexcept {
    return head_.load(std::memory_order_relaxed) < limit_.load(std::memory_order_relaxed);
  }

  /// True if a thread demanded attention since the last `make_room` that granted quiet.
  [[nodiscard]] bool wanted() const noexcept {
    return limit_.load(std::memory_order_relaxed) == nullptr;
  }

  /// True if the buffer has room for one more push.
  [[nodiscard]] bool has_room() const noexcept {
    return head_.load(std::memory_order_relaxed) < last_;
  }

  /// Removes the newest slot if it still holds `word`, a fork that was never shared (invariant
  /// queue.newest).
  bool pop_exactly(slot_word word) noexcept {
    slot* const place = head_.load(std::memory_order_relaxed) - 1;
    if (place->load(std::memory_order_relaxed) == word) [[likely]] {
      head_.store(place, std::memory_order_relaxed);
      return true;
    }
    return false;
  }

  // -- Owner, slow -------------------------------------------------------------------------------

  /// Removes the newest private slot and returns it, or returns 0 if nothing is private. Skips
  /// slots that `remove` emptied.
  slot_word pop_private() noexcept {
    slot* place = head_.load(std::memory_order_relaxed);
    slot_word word = 0;
    std::int64_t empty = 0;
    while (place > split_ && (word = (--place)->load(std::memory_order_relaxed)) == 0) ++empty;
    head_.store(place, std::memory_order_relaxed);
    fetch_ahead(place);
    if (extra_of(word) + empty > 0) [[unlikely]] {
      extra_.fetch_add(empty - extra_of(word), std::memory_order_relaxed);
    }
    return word;
  }

  /// Removes the newest private slot if it is just an address, that of a task of one quantum
  /// without any bit, and wanted(task, index of its place). Otherwise returns null and changes
  /// nothing.
  template <typename Wanted>
  task* pop_if(Wanted&& wanted) noexcept {
    constexpr slot_word address = ((slot_word{1} << cost_shift) - 1) & ~slot_word{7};
    slot* const place = head_.load(std::memory_order_relaxed) - 1;
    if (place < split_) return nullptr;
    const slot_word word = place->load(std::memory_order_relaxed);
    // 8 is subtracted, so that an empty slot also has upper bits.
    if (((word - 8) & ~address) != 0) return nullptr;
    task* const plain = reinterpret_cast<task*>(word);
    if (!wanted(*plain, index_of(place))) return nullptr;
    head_.store(place, std::memory_order_relaxed);
    // The slot is used as an address, whatever it holds: a wrong prefetch does no harm.
    if constexpr (Atomics::fetches_ahead) {
      fetch_to_write(reinterpret_cast<void*>((place - ahead)->load(std::memory_order_relaxed)));
    }
    return plain;
  }

  /// Returns the newest private slot and leaves it in place, or returns 0 if nothing is private.
  slot_word peek_private() noexcept {
    slot* place = head_.load(std::memory_order_relaxed);
    std::int64_t empty = 0;
    while (place > split_ && (place - 1)->load(std::memory_order_relaxed) == 0) {
      --place;
      ++empty;
    }
    head_.store(place, std::memory_order_relaxed);
    if (empty != 0) extra_.fetch_add(empty, std::memory_order_relaxed);
    return place > split_ ? (place - 1)->load(std::memory_order_relaxed) : 0;
  }

  /// Empties the private slot that holds `t`, at any place. Returns false if there is none.
  /// O(private).
  bool remove(const task* t) noexcept {
    for (slot* place = head_.load(std::memory_order_relaxed); place > split_;) {
      --place;
      if (task_of(place->load(std::memory_order_relaxed)) == t) {
        place->store(0, std::memory_order_relaxed);
        extra_.fetch_sub(1, std::memory_order_relaxed);
        peek_private();
        return true;
      }
    }
    return false;
  }

  /// The number of tasks of more than one quantum pushed since `forget_costly`.
  [[nodiscard]] std::uint32_t costly() const noexcept { return costly_; }
  void forget_costly() noexcept { costly_ = 0; }

  /// Puts the newest private slots into another order: `order` gets a copy of as many slots as
  /// `words` has room for, oldest first, and changes the copy. Precondition: at least that many
  /// slots are private.
  template <typename Order>
  void reorder(std::span<slot_word> words, Order&& order) noexcept {
    slot* const first =
        head_.load(std::memory_order_relaxed) - static_cast<std::ptrdiff_t>(words.size());
    for (std::size_t i = 0; i < words.size(); ++i) {
      words[i] = first[i].load(std::memory_order_relaxed);
    }
    order(words);
    for (std::size_t i = 0; i < words.size(); ++i) {
      first[i].store(words[i], std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::uint32_t private_length() const noexcept {
    return static_cast<std::uint32_t>(head_.load(std::memory_order_relaxed) - split_);
  }

  /// The index of the next push. It names a place in the sequence, whichever buffer holds it.
  [[nodiscard]] std::uint32_t head_index() const noexcept {
    return index_of(head_.load(std::memory_order_relaxed));
  }

  /// Shares the `count` oldest private tasks. Calls `publish(word, index)` for each lazy slot
  /// before other threads can see it.
  template <typename Publish>
  void share(std::uint32_t count, Publish&& publish) noexcept {
    count = detail::least(count, private_length());
    if (count == 0) return;
    const buffer* b = buffer_.load(std::memory_order_relaxed);
    for (std::uint32_t i = 0; i < count; ++i) {
      slot& place = split_[i];
      const slot_word word = place.load(std::memory_order_relaxed);
      if ((word & lazy_bit) != 0) {
        publish(word, b->base_ + static_cast<std::uint32_t>(split_ + i - b->first()));
        place.store(word & ~lazy_bit, std::memory_order_relaxed);
      }
    }
    split_ += count;
    // Release: pairs with the acquire of the compare-and-swap in `claim` (invariant queue.word): a
    // thread that sees the new split sees the slots and the tasks in them.
    word_.fetch_add(std::uint64_t{count} << 32, std::memory_order_release);
  }

  /// Makes up to `count` of the newest shared tasks private again and returns their number.
  /// Relaxed: this thread wrote the slots, and a thread that claims later synchronises with `share`
  /// through the release sequence that this read-modify-write continues.
  std::uint32_t reclaim(std::uint32_t count) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (;;) {
      const std::uint32_t available = split_of(word) - tail_of(word);
      const std::uint32_t n = detail::least(count, available);
      if (n == 0) return 0;
      if (word_.compare_exchange_weak(word, word - (std::uint64_t{n} << 32),
                                      std::memory_order_relaxed, std::memory_order_relaxed)) {
        split_ -= n;
        return n;
      }
    }
  }

  /// Makes room for one more push and forgets a demand for attention. Throws std::bad_alloc if
  /// there is no memory, with the newest slot removed, and its cost with it. Afterwards pushes need
  /// no attention until `most` tasks are private or the buffer ends, unless `every_push`. Returns
  /// after the exchange that pairs with `demand_attention`, so a request made before the exchange
  /// is seen by what the owner reads next.
  void make_room(bool every_push, std::ptrdiff_t most = PTRDIFF_MAX) {
    if (!has_room()) {
      try {
        relocate();
      } catch (...) {
        pop_private();
        throw;
      }
    }
    grant_quiet(every_push, most);
  }

  /// The second half of `make_room`, for when no push has used up the room.
  void grant_quiet(bool every_push, std::ptrdiff_t most = PTRDIFF_MAX) noexcept {
    slot* const limit = last_ - split_ > most ? split_ + most : last_;
    // Acquire: pairs with the release in `demand_attention` (invariant queue.requests).
    limit_.exchange(every_push ? nullptr : limit, std::memory_order_acq_rel);
  }

  /// If quiet was granted beyond `most` private tasks, takes the rest of it back.
  void bound_quiet(std::ptrdiff_t most) noexcept {
    slot* granted = limit_.load(std::memory_order_relaxed);
    if (granted == nullptr || granted - split_ <= most) return;
    // Relaxed: if a thread has demanded attention meanwhile, nothing changes.
    limit_.compare_exchange_strong(granted, split_ + most, std::memory_order_relaxed,
                                   std::memory_order_relaxed);
  }

  // -- Any thread ---------------------------------------------------------------------------------

  /// What a claim took.
  struct claimed {
    std::uint32_t taken = 0;  ///< number of slots; not named `slots`, which is a macro of Qt
    std::uint32_t tasks = 0;  ///< number of these slots that held a task
  };

  /// Takes up to `count` of the oldest shared tasks into `out`, oldest first. Lock-free.
  claimed claim(std::uint32_t count, slot_word* out) noexcept {
    std::uint64_t word = word_.load(std::memory_order_relaxed);
    claimed got;
    do {
      got.taken = detail::least(count, split_of(word) - tail_of(word));
      if (got.taken == 0) return got;
      // Acquire: pairs with the release in `share` (queue.word) and in `relocate` (queue.buffers).
    } while (!word_.compare_exchange_weak(word, advance(word, got.taken), std::memory_order_acquire,
                                          std::memory_order_relaxed));
    const std::uint32_t tail = tail_of(word);
    // Acquire: pairs with the release store in `relocate`, which filled the buffer.
    const buffer* b = buffer_.load(std::memory_order_acquire);
    while (static_cast<std::int32_t>(tail - b->base_) < 0) {
      b = b->previous_.load(std::memory_order_acquire);
    }
    const slot* first = b->first() + (tail - b->base_);
    std::int64_t extra = 0;  // the extra cost of the slots taken
    for (std::uint32_t i = 0; i < got.taken; ++i) {
      const slot_word taken = first[i].load(std::memory_order_relaxed);
      if (taken == 0) continue;  // emptied by `remove`
      out[got.tasks++] = taken;
      extra += extra_of(taken);
    }
    extra -= std::int64_t{got.taken} - got.tasks;
    if (extra != 0) extra_.fetch_sub(extra, std::memory_order_relaxed);
    // Release: pairs with the acquire load in `relocate`, which reuses buffers that no claimer
    // reads (queue.copied).
    copied_.fetch_add(got.taken, std::memory_order_release);
    return got;
  }

  /// The number of tasks that can be taken now.
  [[nodiscard]] std::uint32_t shared_length() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    return split_of(word) - tail_of(word);
  }

  /// The number of tasks in the queue, private ones included. Exact while the owner stands still,
  /// otherwise an estimate, never less than `shared_length` was a moment ago.
  [[nodiscard]] std::uint32_t length() const noexcept {
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    const std::uint32_t shared = split_of(word) - tail_of(word);
    // Acquire, three times: pair with the releases in `install`. Between two equal even numbers of
    // the epoch, address and base belong to the same buffer.
    const std::uint32_t epoch = epoch_.load(std::memory_order_acquire);
    const std::uint64_t span = span_.load(std::memory_order_acquire);
    const auto head = reinterpret_cast<std::uintptr_t>(head_.load(std::memory_order_acquire));
    if (epoch % 2 != 0 || epoch_.load(std::memory_order_relaxed) != epoch) return shared;
    const std::uint32_t n =
        static_cast<std::uint32_t>((head - span) / sizeof(slot)) - tail_of(word);
    // The tail moves meanwhile, and the head may move, too.
    return static_cast<std::int32_t>(n - shared) < 0 ? shared : n;
  }

  /// The quanta in the queue: `length`, plus the cost of tasks above one quantum each.
  [[nodiscard]] std::uint64_t quanta() const noexcept {
    const std::int64_t all = length() + extra_.load(std::memory_order_relaxed);
    return static_cast<std::uint64_t>(detail::greatest<std::int64_t>(all, 0));
  }

  /// The mean number of quanta of a task here, rounded down; at least 1.
  [[nodiscard]] std::int64_t mean_cost() const noexcept {
    const std::uint32_t n = detail::greatest(shared_length(), 1U);
    return 1 + detail::greatest<std::int64_t>(extra_.load(std::memory_order_relaxed), 0) / n;
  }

  /// Calls f(word) for every shared slot that is not empty, newest first. The owner and all
  /// claimers stand still.
  template <typename F>
  void for_each_shared(F&& f) const {
    const buffer* b = buffer_.load(std::memory_order_relaxed);
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    for (std::uint32_t i = split_of(word); i != tail_of(word);) {
      const slot_word present = b->first()[--i - b->base_].load(std::memory_order_relaxed);
      if (present != 0) f(present);
    }
  }

  /// Returns the number of the oldest shared slots up to the first whose word is not
  /// `wanted(word)`. Empty slots are counted and not asked about. The owner and all claimers stand
  /// still.
  template <typename Wanted>
  [[nodiscard]] std::uint32_t count_oldest(Wanted&& wanted) const {
    const buffer* b = buffer_.load(std::memory_order_relaxed);
    const std::uint64_t word = word_.load(std::memory_order_relaxed);
    std::uint32_t i = tail_of(word);
    for (; i != split_of(word); ++i) {
      const slot_word present = b->first()[i - b->base_].load(std::memory_order_relaxed);
      if (present != 0 && !wanted(present)) break;
    }
    return i - tail_of(word);
  }

  /// Makes the owner's next push call `make_room`.
  void demand_attention() noexcept {
    // Release: pairs with the exchange in `grant_quiet`. It is a read-modify-write and not a store,
    // so that it continues the release sequence of a thread that demanded attention a moment
    // before. The owner reads the last value, and so sees the requests of all of these threads
    // (invariant queue.requests).
    limit_.exchange(nullptr, std::memory_order_release);
  }

 private:
  struct buffer {
    explicit buffer(std::size_t capacity) : slots_(capacity + ahead), capacity_(capacity) {}
    // Before the first slot there are empty ones, which `pop_exactly` and `fetch_ahead` may read.
    slot* first() noexcept { return slots_.data() + ahead; }
    const slot* first() const noexcept { return slots_.data() + ahead; }

    std::vector<slot> slots_;
    std::size_t capacity_;
    typename Atomics::template plain<std::uint32_t> base_{0};
    atomic<const buffer*> previous_{nullptr};
  };

  [[nodiscard]] std::uint32_t index_of(const slot* place) const noexcept {
    return static_cast<std::uint32_t>(
        (reinterpret_cast<std::uintptr_t>(place) - span_.load(std::memory_order_relaxed)) /
        sizeof(slot));
  }

  /// Prefetches a task that will run after some others, if nothing comes between. The task itself
  /// is not read, because it may belong to another thread by now.
  void fetch_ahead(const slot* place) const noexcept {
    if constexpr (Atomics::fetches_ahead) {
      fetch_to_write(task_of((place - ahead)->load(std::memory_order_relaxed)));
    }
  }
  static constexpr std::ptrdiff_t ahead = 4;

  /// The cost of the task above one quantum; 0 for an empty slot.
  static std::int64_t extra_of(slot_word word) noexcept {
    return static_cast<std::int64_t>(word >> cost_shift);
  }
  static std::uint32_t tail_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word);
  }
  static std::uint32_t split_of(std::uint64_t word) noexcept {
    return static_cast<std::uint32_t>(word >> 32);
  }
  /// Moves the tail alone: without a carry into the split.
  static std::uint64_t advance(std::uint64_t word, std::uint32_t n) noexcept {
    return (word & ~std::uint64_t{0xffffffff}) | static_cast<std::uint32_t>(tail_of(word) + n);
  }

  buffer* add_buffer(std::size_t capacity) {
    buffers_.push_back(std::make_unique<buffer>(capacity));
    return buffers_.back().get();
  }

  void install(buffer* b, slot* split, slot* head) noexcept {
    split_ = split;
    last_ = b->first() + b->capacity_ - 1;
    const std::uint32_t epoch = epoch_.load(std::memory_order_relaxed);
    // Odd while address and base are those of two buffers. Release, here and below: a thread that
    // reads one of the new values in `length` reads this number too.
    epoch_.store(epoch + 1, std::memory_order_relaxed);
    // The address that index 0 would have: head - span is the index of the head.
    span_.store(
        reinterpret_cast<std::uintptr_t>(b->first()) - std::uint64_t{b->base_} * sizeof(slot),
        std::memory_order_release);
    head_.store(head, std::memory_order_release);
    epoch_.store(epoch + 2, std::memory_order_release);
  }

  /// Moves the remaining slots to the beginning of another buffer. That one is larger if they fill
  /// more than half of this one and there is memory. The old buffer keeps its contents for threads
  /// that claimed before (invariant queue.buffers).
  void relocate() {
    buffer* const old = buffer_.load(std::memory_order_relaxed);
    // Acquire: pairs with the release in `claim`. Read before the word: if it equals the tail,
    // every claim so far has been copied (queue.copied).
    const std::uint32_t copied = copied_.load(std::memory_order_acquire);
    const std::uint32_t tail = tail_of(word_.load(std::memory_order_relaxed));
    slot* const head = head_.load(std::memory_order_relaxed);
    slot* const oldest = old->first() + (tail - old->base_);
    const auto live = static_cast<std::size_t>(head - oldest);
    const std::size_t capacity = live > old->capacity_ / 2 ? old->capacity_ * 2 : old->capacity_;

    // In that case only the current buffer may still be read, so another one may be reused.
    const bool unread = copied == tail || !Atomics::checks("queue.copied");
    const auto spare = [&](std::size_t least) -> buffer* {
      for (const std::unique_ptr<buffer>& b : buffers_) {
        if (unread && b.get() != old && b->capacity_ >= least) return b.get();
      }
      return nullptr;
    };
    buffer* next = spare(capacity);
    if (next == nullptr) {
      try {
        next = add_buffer(capacity);
      } catch (const std::bad_alloc&) {
        next = spare(live + 1);
        if (next == nullptr) throw;
      }
    }
    if (unread) {
      old->previous_.store(nullptr, std::memory_order_relaxed);
      std::erase_if(buffers_, [&](const std::unique_ptr<buffer>& b) {
        return b.get() != old && b.get() != next;
      });
    }
    next->base_ = tail;
    next->previous_.store(old, std::memory_order_relaxed);
    for (std::size_t i = 0; i < live; ++i) {
      next->first()[i].store(oldest[i].load(std::memory_order_relaxed), std::memory_order_relaxed);
    }
    install(next, next->first() + (split_ - oldest), next->first() + live);
    // Release: pairs with the acquire in `claim`: a thread that sees the buffer sees what was
    // copied.
    buffer_.store(next, std::memory_order_release);
    // Release: a thread that claims after this sees the new buffer (queue.buffers). Continues the
    // release sequence.
    word_.fetch_add(0, std::memory_order_acq_rel);
  }

  // Written by the owner at every push and pop.
  alignas(128) atomic<slot*> head_{nullptr};
  slot* split_ = nullptr;  // the owner's copy of the split, as a place
  slot* last_ = nullptr;   // the last slot of the buffer
  std::uint32_t costly_ = 0;
  std::vector<std::unique_ptr<buffer>> buffers_;
  atomic<std::uint32_t> epoch_{0};
  atomic<std::uint64_t> span_{0};
  atomic<buffer*> buffer_{nullptr};
  // Written by threads that demand attention.
  alignas(128) atomic<slot*> limit_{nullptr};
  // Written by the owner when it shares, and by threads that claim.
  alignas(128) atomic<std::uint64_t> word_{0};
  atomic<std::uint32_t> copied_{0};
  /// The sum of the cost - 1 of each task and of -1 for each empty slot.
  atomic<std::int64_t> extra_{0};
};

using split_deque = basic_split_deque<>;

}  // namespace evencube::detail
