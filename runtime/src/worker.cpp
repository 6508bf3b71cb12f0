#include <evencube/detail/worker.hpp>

#include <algorithm>
#include <chrono>
#include <evencube/detail/loop.hpp>
#include <memory>
#include <new>

#include "event_log.hpp"
#include "mailbox.hpp"
#include "scheduler.hpp"

namespace evencube::detail {

namespace {

/// Tasks shorter than this on average need not be shared one by one: an idle worker's request is
/// then answered at one of the next pushes, soon enough.
constexpr std::int64_t fine_ns = 5'000;
/// A request that had to wait longer shows that tasks have become long.
constexpr std::int64_t late_ns = 20'000;
/// Pushes between two looks at the clock while every push is shared.
constexpr std::uint32_t window = 32;
/// What the owner takes back at a time may last this long, hidden from others.
constexpr std::int64_t hidden_ns = 4'000;
constexpr std::uint32_t largest_batch = 256;
/// Batches of a single task between two looks at the clock.
constexpr std::uint32_t looks = 8;

}  // namespace

std::int64_t now_ns() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

worker::worker(scheduler& cube, std::uint32_t index)
    : cube_(&cube),
      index_(index),
      every_push_(cube.options_.workers > 1),
      random_(index * 0x9e3779b97f4a7c15U + 1) {}

void worker::notify_done(std::uint32_t index) noexcept { cube_->at(index).notify(signal_done); }

// After a push that found the buffer's end or a demand for attention.
void worker::attend() {
  if (log_ != nullptr) log_->add_spawn(event_kind::spawned, queue_.peek_private());
  adapt_sharing();
  queue_.make_room(open());
  answer();
}

// The same between two iterations of a loop, without a push.
void worker::heed() {
  adapt_sharing();
  queue_.grant_quiet(open());
  answer();
}

void worker::adapt_sharing() noexcept {
  if (!every_push_ || ++window_pushes_ < window) return;
  const std::int64_t now = now_ns();
  every_push_ = cube_->rounds_.keeps_order() || now - window_began_ > fine_ns * window;
  window_began_ = now;
  window_pushes_ = 0;
}

void worker::answer() {
  if (open()) {
    if (queue_.length() == 0) promote();
    share_all();
    // An idle worker that leads asks when it runs dry; others have to be told of long queues.
    if ((!cube_->idle_leads_ || cube_->rounds_.event_driven()) &&
        load() > cube_->options_.threshold) {
      cube_->rounds_.request(index_);
    }
  }
  // After the exchange of the limit: a request made before it is seen here (invariant R).
  serve_requests();
  // A program of forks may not come to another boundary for long.
  if (signals_.raised() && signals_.take(signal_hold) != 0) cube_->stand_still(*this);
}

// Gives away the later half of what is left of the outermost loop (the innermost where order is
// kept: that half comes before all that is queued). False if there is none, or no memory.
bool worker::promote() noexcept {
  // The holder acts for workers that stand still, and makes no tasks.
  if (cube_->holding()) return false;
  loop_frame* from = nullptr;
  for (loop_frame* f = loops_; f != nullptr; f = f->outer_) {
    if (f->next_ >= f->last_) continue;
    from = f;
    if (cube_->rounds_.keeps_order()) break;
  }
  if (from == nullptr) return false;
  const std::size_t middle = from->next_ + (from->last_ - from->next_) / 2;
  try {
    std::unique_ptr<loop_piece> piece(from->detach_(*from, middle, from->last_));
    piece->parent_ = from->parent_;
    piece->owner_ = index_;
    ::new (&piece->state_) std::atomic<std::uint32_t>(fork_pending);
    // Lazy for the log alone: a wait for a piece waits for nothing else.
    const slot_word word = make_slot(piece.get(), 1) | fork_bit;
    if (log_ != nullptr) log_->add_spawn(event_kind::spawned, word | lazy_bit);
    if (queue_.needs_attention(queue_.push(word))) {
      queue_.make_room(open());
    }
    piece->next_ = from->pieces_;
    from->pieces_ = piece.release();
    from->last_ = middle;
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void worker::share(std::uint32_t count) noexcept {
  queue_.share(count, [this](slot_word word, std::uint32_t place) {
    // Innermost frame that had begun when the fork was pushed: its task is the parent.
    const frame* f = frame_;
    while (f->outer != nullptr && static_cast<std::int32_t>(place - f->base) < 0) f = f->outer;
    auto& forked = static_cast<fork_task&>(*task_of(word));
    forked.parent_ = f->current;
    forked.owner_ = index_;
    ::new (&forked.state_) std::atomic<std::uint32_t>(fork_pending);
  });
}

void worker::serve_requests() noexcept {
  lifeline_.serve(
      queue_, [this] { share_on_request(); }, [this](std::uint64_t requests) { grant(requests); });
}

void worker::share_on_request() noexcept {
  const std::uint32_t hidden = queue_.private_length();
  // The piece of a loop, the newest, is large: it is shared with the older half of the others.
  if (promote()) {
    share_all();
  } else {
    share(hidden - hidden / 2);
  }
}

// Work has been shared: wakes those who asked for some.
void worker::grant(std::uint64_t requests) noexcept {
  if (!open() && now_ns() - lifeline_.asked_at() > late_ns) {
    every_push_ = true;
    window_pushes_ = 0;
    window_began_ = now_ns();
    queue_.demand_attention();
  }
  const std::uint32_t size = cube_->size();
  for (unsigned dimension = 0; dimension < 32; ++dimension) {
    const std::uint32_t neighbour = index_ ^ (std::uint32_t{1} << dimension);
    if ((requests >> dimension & 1) != 0 && neighbour < size) {
      cube_->at(neighbour).notify(signal_work);
    }
  }
  for (std::uint64_t rest = requests >> 32; rest != 0; rest &= rest - 1) {
    // Random thieves leave their index modulo 32.
    for (auto k = static_cast<std::uint32_t>(__builtin_ctzll(rest)); k < size; k += 32) {
      if (k != index_) cube_->at(k).notify(signal_work);
    }
  }
}

// Queues tasks that came from elsewhere, oldest first.
void worker::put(const std::vector<slot_word>& words) noexcept {
  std::int64_t extra = 0;
  for (const slot_word word : words) {
    extra += cost_of(word) - 1;
    if (queue_.needs_attention(queue_.push(word))) queue_.make_room(open());
  }
  if (extra != 0) extra_quanta_.fetch_add(extra, std::memory_order_relaxed);
  // What came in bulk is long or plenty: all of it stays open to others.
  share_all();
  serve_requests();
}

// The same below everything that is queued here: all of it comes out and goes in again on top.
void worker::put_beneath(const std::vector<slot_word>& words) noexcept {
  share_all();
  std::vector<slot_word> above;
  queue_.claim(queue_.shared_length(), above);
  put(words);
  std::int64_t extra = 0;
  for (const slot_word word : above) extra += cost_of(word) - 1;
  if (extra != 0) extra_quanta_.fetch_sub(extra, std::memory_order_relaxed);
  if (!above.empty()) put(above);
}

void worker::spawn(slot_word word, std::int64_t home) {
  if (home >= 0 && home != index_) {
    if (log_ != nullptr) {
      log_->add_homed(event_kind::spawned, word, static_cast<std::uint64_t>(home));
    }
    cube_->deliver(word, static_cast<std::uint32_t>(home));
    return;
  }
  if (cost_of(word) > 1) extra_quanta_.fetch_add(cost_of(word) - 1, std::memory_order_relaxed);
  push(word);
}

void worker::run(slot_word word) noexcept {
  if (task_of(word)->parent_ != ending_) tell_endings();
  if (cost_of(word) > 1) extra_quanta_.fetch_sub(cost_of(word) - 1, std::memory_order_relaxed);
  // Counted before it ends: who waits for the last task of a group must find it counted.
  worker_counters::add(counters_.executed, std::uint64_t{1});
  execute(word);
}

void worker::execute(slot_word word) noexcept {
  task& t = *task_of(word);
  frame mine{&t, queue_.top_index(), frame_};
  frame_ = &mine;
  if (log_ != nullptr) log_->add(event_kind::started, &t);
  t.type_->execute(t, *this);
  // The recording may have begun or ended meanwhile.
  if (log_ != nullptr) log_->add(event_kind::ended, nullptr);
  frame_ = mine.outer;
}

void worker::run_at_once(task& t) noexcept {
  running_at_once_ = true;
  if (log_ != nullptr) log_->add_spawn(event_kind::spawned, make_slot(&t, 1));
  run(make_slot(&t, 1));
  tell_endings();
  running_at_once_ = false;
}

void worker::thin_out() noexcept {
  while (queue_.length() > crowd) {
    const slot_word word = next_own();
    if (word == 0) break;
    run(word);
  }
  tell_endings();
}

// The newest task of the own queue. From the shared part it takes a batch back, as many tasks as
// last a few microseconds going by the last batch.
slot_word worker::next_own() noexcept {
  if (const slot_word word = queue_.pop_private(); word != 0) return word;
  for (;;) {
    const std::uint32_t shared = queue_.shared_length();
    if (shared == 0) return 0;
    adapt_batch();
    if (queue_.reclaim(std::min(batch_, std::max(1U, shared / 2))) == 0) return 0;
    if (const slot_word word = queue_.pop_private(); word != 0) return word;
  }
}

void worker::adapt_batch() noexcept {
  // Long tasks come back one by one; to read the clock for each costs more than it could gain.
  if (++batches_ < looks && batch_ == 1) return;
  const std::int64_t now = now_ns();
  const std::int64_t each = (now - batch_began_) / (std::exchange(batches_, 0U) * batch_);
  batch_began_ = now;
  const auto fitting = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(hidden_ns / std::max<std::int64_t>(each, 1), 1, largest_batch));
  // What is hidden from rounds is out of the order they keep.
  batch_ = cube_->rounds_.keeps_order() ? 1 : std::min(fitting, batch_ * 2);
}

void worker::main_loop() {
  for (;;) {
    if (signals_.raised() && !answer_signals()) return;
    if (lifeline_.asked()) serve_requests();
    const slot_word word = next_own();
    if (word != 0) {
      busy_.store(true, std::memory_order_relaxed);
      run(word);
      busy_.store(false, std::memory_order_relaxed);
      continue;
    }
    tell_endings();
    if (!find_work()) idle();
  }
}

void worker::tell() noexcept {
  std::exchange(ending_, nullptr)->finish_elsewhere(std::exchange(endings_, 0));
}

std::string worker::describe() const {
  const auto yes = [](bool value) { return value ? "yes" : "no"; };
  return "worker " + std::to_string(index_) + ": busy " +
         yes(busy_.load(std::memory_order_relaxed)) + ", open to all " +
         yes(stranded_.load(std::memory_order_relaxed)) + ", queued " +
         std::to_string(queue_.length()) + " (shared " + std::to_string(queue_.shared_length()) +
         "), mail " + yes(!letters_.empty()) + ", requests " + std::to_string(lifeline_.bits()) +
         ", signals " + std::to_string(signals_.bits()) + ", executed " +
         std::to_string(counters_.executed.load(std::memory_order_relaxed)) + ", parks " +
         std::to_string(counters_.parks.load(std::memory_order_relaxed)) + "\n";
}

void* block_pool::refill(std::size_t size_class) {
  if (block* const back = returned_[size_class].take()) {
    free_[size_class] = back->next;
    return back;
  }
  const std::size_t lines = std::size_t{1} << size_class;
  if (static_cast<std::size_t>(bump_end_ - bump_) < lines) {
    constexpr std::size_t n = chunk_bytes / sizeof(line);
    chunks_.push_back(std::unique_ptr<line[]>(new line[n]));
    bump_ = chunks_.back().get();
    bump_end_ = bump_ + n;
  }
  void* const cut = bump_;
  bump_ += lines;
  return cut;
}

}  // namespace evencube::detail
