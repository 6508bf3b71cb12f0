#include "session.hpp"

#include <algorithm>
#include <cstdlib>
#include <exception>

#include "arena.hpp"
#include "names.hpp"

namespace evencube::explorer {

namespace {

constexpr std::uint32_t alive_mark = 0x600dbeef;

}  // namespace

// -- Variables ---------------------------------------------------------------------------------

location::location(std::uint64_t initial) noexcept : value_(initial), alive_(alive_mark) {
  session& now = session::current();
  session::thread& by = now.me();
  id_ = now.running_ << 20 | by.made++;
  made_ = by.clock.at[now.running_];
  // The address: a state that is met again must mean the same by the pointers it holds.
  now.absorb(reinterpret_cast<std::uintptr_t>(this));
}

location::~location() {
  session& now = session::current();
  session::thread& by = now.me();
  for (unsigned i = 0; i < by.buffered; ++i) {
    if (by.buffer[i].where == this) {
      now.drain(by);
      break;
    }
  }
  now.memory_hash_ ^= contribution_;
  now.forget(*this);
  alive_ = 0;
}

void session::check_alive(const location& l, const char* where) {
  if (l.alive_ != alive_mark) fail(std::string("use in ") + where + " of memory that is gone");
}

void session::check_made(const location& l, const char* where) {
  const std::uint32_t maker = l.id_ >> 20;
  if (l.made_ <= me().clock.at[maker]) return;
  fail("data race: thread " + std::to_string(running_) + " uses in " +
       std::string(plain_name(where)) + " what thread " + std::to_string(maker) +
       " made, without happens-before");
}

plain_location::plain_location() noexcept {
  session& now = session::current();
  writer_ = static_cast<std::uint8_t>(now.running_);
  written_ = now.me().clock.at[now.running_];
}

void plain_location::reading() const {
  session& now = session::current();
  session::thread& by = now.me();
  if (now.story_ != nullptr) {
    now.note(action::read, nullptr, by.last, std::memory_order_relaxed, "");
  }
  if (written_ > by.clock.at[writer_]) {
    now.fail("data race: thread " + std::to_string(now.running_) + " reads, after " +
             std::string(plain_name(by.last.function)) + ", what thread " +
             std::to_string(writer_) + " wrote, without happens-before");
  }
  reads_.at[now.running_] = by.clock.at[now.running_];
}

void plain_location::writing() {
  session& now = session::current();
  session::thread& by = now.me();
  if (now.story_ != nullptr) {
    now.note(action::write, nullptr, by.last, std::memory_order_relaxed, "");
  }
  for (unsigned k = 0; k < max_threads; ++k) {
    const std::uint16_t other = std::max(reads_.at[k], writer_ == k ? written_ : std::uint16_t{0});
    if (other > by.clock.at[k]) {
      now.fail("data race: thread " + std::to_string(now.running_) + " writes, after " +
               std::string(plain_name(by.last.function)) + ", what thread " + std::to_string(k) +
               " accessed, without happens-before");
    }
  }
  reads_ = {};
  writer_ = static_cast<std::uint8_t>(now.running_);
  written_ = by.clock.at[now.running_];
}

// -- Runs --------------------------------------------------------------------------------------

session::session(const exploration& how, const budgets& most)
    : model_(how.model),
      most_(most),
      step_limit_(std::min(how.steps, 65000U)),
      time_outs_(how.time_outs),
      mutations_(how.mutations),
      keeps_history_(std::any_of(mutations_.begin(), mutations_.end(),
                                 [](const mutation& m) { return m.how == harm::hoist; })) {
  current_ = this;
}

session::~session() {
  static_cast<void>(scene_.release());  // as in begin_all
  current_ = nullptr;
}

std::string session::run(const std::function<std::unique_ptr<scenario>()>& make,
                         std::vector<decision>& trail, guide* by) {
  make_ = &make;
  trail_ = &trail;
  guide_ = by;
  depth_ = 0;
  left_ = most_;
  steps_ = 0;
  ends_plainly_ = false;
  yielding_ = 0;
  clock_ = 1'000'000'000;
  tick_ = 0;
  memory_hash_ = histories_hash_ = 0;
  stores_.clear();
  now_ = 0;
  past_.clear();
  failure_.clear();
  reset_arena();
  if (!clean_) begin_all();
  for (thread& t : threads_) {
    t.clock = {};
    t.state = status::absent;
    t.yields = t.timed = t.timed_out = false;
    t.stubborn = 0;
    t.bed = nullptr;
    t.last = t.before = {"", 0};
    t.history = 0;
    t.made = 0;
    t.buffered = 0;
    t.late.clear();
    t.looked = t.hoisted_to = 0;
    t.hoisting = {};
  }
  running_ = 0;
  clean_ = false;
  {
    const arena_scope on;
    main_.hand_over_to(threads_[0].stack);
  }
  return std::move(failure_);
}

std::string session::narrate(const std::function<std::unique_ptr<scenario>()>& make,
                             std::vector<decision>& trail, std::string& story) {
  story_ = &story;
  std::string why = run(make, trail);
  story_ = nullptr;
  return why;
}

void session::begin_all() {
  // What an interrupted run made lies in the arena and is dropped with it.
  static_cast<void>(scene_.release());
  threads_[0].stack.begin(&session::setting_up, this);
  for (unsigned k = 1; k < max_threads; ++k)
    threads_[k].stack.begin(&session::being_explored, this);
}

void session::set_up() {
  thread& me = threads_[0];
  me.state = status::runnable;
  me.clock.at[0] = 1;
  scene_ = (*make_)();
  thread_count_ = scene_->threads();
  if (thread_count_ >= max_threads) fail("more threads than the explorer has");
  for (unsigned k = 1; k <= thread_count_; ++k) {
    threads_[k].clock = me.clock;
    threads_[k].clock.at[k] = 1;
    threads_[k].state = status::runnable;
  }
  me.clock.at[0] = 2;
  me.state = status::joining;
  leave();
  for (unsigned k = 1; k <= thread_count_; ++k) me.clock.join(threads_[k].clock);
  scene_->check();
  scene_.reset();
  clean_ = true;
}

// The text is taken out of the handler, which a run that fails never leaves.
template <typename Part>
void session::run_part(Part part) {
  std::string thrown;
  try {
    part();
    return;
  } catch (const std::exception& e) {
    thrown = e.what();
  }
  fail((running_ == 0 ? "an exception leaves the scenario: "
                      : "an exception leaves thread " + std::to_string(running_) + ": ") +
       thrown);
}

void session::setting_up(void* self) {
  session& now = *static_cast<session*>(self);
  for (;;) {
    now.run_part([&] { now.set_up(); });
    now.threads_[0].stack.hand_over_to(now.main_);
  }
}

void session::being_explored(void* self) {
  session& now = *static_cast<session*>(self);
  for (;;) {
    now.run_part([&] {
      now.scene_->run(now.running_ - 1);
      now.apply_late_effects();
    });
    now.me().state = status::finished;
    now.absorb(1);
    now.leave();
  }
}

void session::fail(std::string why) {
  {
    const arena_scope off(false);
    failure_ = std::string(why);
    if (story_ != nullptr) *story_ += "  and then: " + failure_ + "\n";
  }
  me().stack.hand_over_to(main_);
  std::abort();  // nobody comes back here
}

bool session::checks(std::string_view check) const noexcept {
  return std::none_of(mutations_.begin(), mutations_.end(),
                      [&](const mutation& m) { return m.how == harm::ignore && m.where == check; });
}

}  // namespace evencube::explorer
