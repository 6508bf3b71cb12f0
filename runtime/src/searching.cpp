#include <algorithm>
#include <memory>
#include <utility>

#include <evencube/detail/worker.hpp>

#include "mailbox.hpp"
#include "recorder.hpp"
#include "scheduler.hpp"

namespace evencube::detail {

namespace {

constexpr std::uint32_t injected_at_once = 16;
/// Pause of a worker that may only wait for the next round.
constexpr std::int64_t look_again_ns = 50'000;

std::uint64_t next_random(std::uint64_t& state) noexcept {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}

void pause() noexcept {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void worker::mail(std::vector<slot_word> words, letter_place place) {
  auto* const sent = new letter{std::move(words), place, nullptr};
  letters_.push(sent, sent);
  notify(signal_mail);
}

// Letters, in the order they were sent, and links into the queue.
bool worker::collect_mail() noexcept {
  letter* unread = nullptr;
  for (letter* newest = letters_.take(); newest != nullptr;) {
    letter* const earlier = std::exchange(newest->next, unread);
    unread = std::exchange(newest, earlier);
  }
  const bool got_letters = unread != nullptr;
  while (unread != nullptr) {
    const std::unique_ptr<letter> read(unread);
    unread = read->next;
    if (read->place == letter_place::beneath) {
      put_beneath(read->words);
    } else {
      put(read->words);
    }
  }
  taken_.clear();
  cube_->links_.receive(index_, taken_);
  if (taken_.empty()) return got_letters;
  put(taken_);
  return true;
}

bool worker::take_injected() noexcept {
  if (!cube_->injected()) return false;
  taken_.clear();
  cube_->take_injected(injected_at_once, taken_);
  if (taken_.empty()) return false;
  put(taken_);
  // One wake-up leads to the next while there is more.
  if (cube_->injected()) cube_->wake_one_idle();
  return true;
}

std::uint64_t worker::load() const noexcept {
  const std::int64_t extra = extra_quanta_.load(std::memory_order_relaxed);
  return queue_.length() + static_cast<std::uint64_t>(std::max<std::int64_t>(extra, 0)) +
         (busy_.load(std::memory_order_relaxed) ? 1 : 0);
}

// Claims the oldest tasks of another queue and queues them here: a single one if that is a fork,
// for it is as much work as all that were made after it.
std::uint32_t worker::take_from(worker& victim, std::uint32_t count) {
  taken_.clear();
  taken_.reserve(count);    // may throw: not after the first claim
  while (taken_.empty()) {  // slots may have been emptied
    if (victim.queue_.claim(1, taken_) == 0) return 0;
  }
  if (count > 1 && (taken_.front() & fork_bit) == 0) victim.queue_.claim(count - 1, taken_);
  std::int64_t extra = 0;
  for (const slot_word word : taken_) extra += cost_of(word) - 1;
  if (extra != 0) victim.extra_quanta_.fetch_sub(extra, std::memory_order_relaxed);
  const auto n = static_cast<std::uint32_t>(taken_.size());
  worker_counters::add(counters_.received, std::uint64_t{n});
  if (log_ != nullptr) {
    const std::uint64_t move = make_move(recording::none, victim.index_, index_);
    for (const slot_word word : taken_) log_->add(event_kind::moved, task_of(word), move);
  }
  put(taken_);
  return n;
}

// One odd-even dimension exchange by itself (Rim et al. 2003, Section 4): from each neighbour, in
// dimension order, what the pair rule gives a worker without load.
bool worker::pull_from_neighbours() {
  const std::uint32_t size = cube_->size();
  for (unsigned dimension = 0; (std::uint32_t{1} << dimension) < size; ++dimension) {
    const std::uint32_t k = index_ ^ (std::uint32_t{1} << dimension);
    if (k >= size) continue;
    worker& neighbour = cube_->at(k);
    const std::uint64_t sum = neighbour.load();
    std::uint64_t share = sum / 2;
    if (sum % 2 != 0 && (share % 2 != 0) == (index_ > k)) ++share;
    const std::uint64_t open = neighbour.queue_.shared_length();
    // The task the neighbour runs is part of the sum but cannot move.
    const auto n = static_cast<std::uint32_t>(std::min<std::uint64_t>(share, open));
    if (n == 0) continue;
    const std::uint32_t got = take_from(neighbour, n);
    if (got == 0) continue;
    cube_->rounds_.count_move(dimension, got);
    return true;
  }
  return false;
}

bool worker::steal_at_random() {
  const std::uint32_t size = cube_->size();
  for (std::uint32_t attempt = 0; attempt < 2 * size; ++attempt) {
    const auto k = static_cast<std::uint32_t>(next_random(random_) % size);
    if (k != index_ && take_from(cube_->at(k), 1) != 0) return true;
  }
  return false;
}

// Work of queues nobody looks after: their worker sleeps in a wait, or the seat is vacant.
bool worker::rescue_stranded(bool everybody) {
  for (std::uint32_t i = 1; i < cube_->size(); ++i) {
    worker& other = cube_->at((index_ + i) % cube_->size());
    // Seq_cst: with the announcement in `sleep_idle` before it, pairs with the store and the
    // wake-up in `sleep_waiting` and `leave_seat` (invariant I).
    if (!everybody && !other.stranded_.load(std::memory_order_seq_cst)) continue;
    const std::uint32_t open = other.queue_.shared_length();
    if (open != 0 && take_from(other, everybody ? open : open - open / 2) != 0) return true;
  }
  return false;
}

bool worker::find_work() {
  const bool woken = std::exchange(woken_, false);
  if (collect_mail() || take_injected()) return true;
  if (cube_->size() == 1) return false;
  switch (cube_->rounds_.way()) {
    case policy::planned: {
      // Who was woken is late already, and a pull is quicker than a round.
      if (woken && !cube_->rounds_.keeps_order() && pull_from_neighbours()) return true;
      const rounds::answer answer = cube_->rounds_.request(index_);
      if (answer == rounds::answer::moved && collect_mail()) return true;
      // Taking tasks by oneself would break their order: the next round brings them.
      look_again_ = cube_->rounds_.keeps_order() && answer == rounds::answer::too_soon;
      if (!cube_->rounds_.keeps_order() && pull_from_neighbours()) return true;
      break;
    }
    case policy::random_stealing:
      if (steal_at_random()) return true;
      break;
    case policy::none:
      break;
  }
  return rescue_stranded(false);
}

// Leaves a bit with those who may have work later: they answer when they share some.
void worker::request_neighbours() noexcept {
  const policy way = cube_->rounds_.way();
  if (way == policy::none) return;
  const std::int64_t now = now_ns();
  const std::uint32_t size = cube_->size();
  const auto ask = [&](std::uint32_t k, std::uint64_t bit) {
    worker& other = cube_->at(k);
    other.lifeline_.ask(bit, now, other.queue_);
  };
  if (way == policy::random_stealing) {
    for (std::uint32_t k = 0; k < size; ++k) {
      if (k != index_) ask(k, std::uint64_t{1} << (32 + index_ % 32));
    }
    return;
  }
  for (unsigned dimension = 0; (std::uint32_t{1} << dimension) < size; ++dimension) {
    const std::uint32_t k = index_ ^ (std::uint32_t{1} << dimension);
    if (k < size) ask(k, std::uint64_t{1} << dimension);
  }
}

// Nothing was found: ask, look once more while asking (bounded by time), then sleep.
void worker::idle() {
  const std::int64_t began = now_ns();
  counters_.idle_since.store(began, std::memory_order_relaxed);
  returns_.flush();
  request_neighbours();
  while (!signals_.raised() && now_ns() - began < cube_->spin_ns_) {
    for (int i = 0; i < 32; ++i) pause();
  }
  if (!signals_.raised()) {
    sleep_idle(
        cube_->idle_, index_, [this] { return cube_->injected() || rescue_stranded(false); },
        [this] {
          worker_counters::add(counters_.parks, std::uint64_t{1});
          if (look_again_) {
            signals_.sleep_for(look_again_ns);
          } else {
            signals_.sleep();
          }
          woken_ = true;
        });
  }
  counters_.end_idle(now_ns());
}

// Takes the bits of the signal word. False: stop.
bool worker::answer_signals() {
  const std::uint32_t bits = signals_.take();
  if ((bits & signal_hold) != 0) cube_->stand_still(*this);
  if ((bits & signal_mail) != 0) collect_mail();
  return (bits & signal_stop) == 0;
}

}  // namespace evencube::detail
