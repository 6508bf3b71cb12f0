#include "session.hpp"

#include <algorithm>
#include <cstdio>

#include "arena.hpp"

namespace evencube::explorer {

namespace {

constexpr std::uint32_t alive_mark = 0x600dbeef;

bool acquires(std::memory_order order) noexcept {
  return order == std::memory_order_acquire || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst || order == std::memory_order_consume;
}
bool releases(std::memory_order order) noexcept {
  return order == std::memory_order_release || order == std::memory_order_acq_rel ||
         order == std::memory_order_seq_cst;
}

const char* name_of(action what) noexcept {
  constexpr const char* names[] = {"load",      "store",    "exchange",  "compare_exchange",
                                   "fetch_add", "fetch_or", "fetch_and", "sleep",
                                   "wake",      "read",     "write"};
  return names[static_cast<unsigned>(what)];
}
const char* name_of(std::memory_order order) noexcept {
  constexpr const char* names[] = {"relaxed", "consume", "acquire",
                                   "release", "acq_rel", "seq_cst"};
  return names[static_cast<unsigned>(order)];
}

// Compilers differ on whether a template's name goes with its arguments.
std::string_view plain_name(const char* function) noexcept {
  const std::string_view name(function);
  return name.substr(0, name.find('<'));
}

std::string number(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, value < 1000000 ? "%llu" : "%#llx",
                static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

// -- Variables ---------------------------------------------------------------------------------

location::location(std::uint64_t initial) noexcept : value_(initial), alive_(alive_mark) {
  session& now = session::current();
  session::thread& by = now.me();
  id_ = now.running_ << 20 | by.made++;
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
  alive_ = 0;
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

session::session(memory_model model, unsigned preemptions, unsigned steps,
                 std::vector<mutation> mutations)
    : model_(model),
      preemptions_(preemptions),
      step_limit_(steps),
      mutations_(std::move(mutations)),
      keeps_history_(std::any_of(mutations_.begin(), mutations_.end(),
                                 [](const mutation& m) { return m.how == harm::hoist; })) {
  current_ = this;
}

session::~session() {
  static_cast<void>(scene_.release());  // as in begin_all
  current_ = nullptr;
}

std::string session::run(const std::function<std::unique_ptr<scenario>()>& make,
                         std::vector<decision>& trail) {
  make_ = &make;
  trail_ = &trail;
  depth_ = 0;
  budget_ = preemptions_;
  steps_ = 0;
  ends_plainly_ = false;
  memory_hash_ = 0;
  now_ = 0;
  past_.clear();
  failure_.clear();
  reset_arena();
  if (!clean_) begin_all();
  for (thread& t : threads_) {
    t.clock = {};
    t.state = status::absent;
    t.bed = nullptr;
    t.last = {"", 0};
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

void session::setting_up(void* self) {
  session& now = *static_cast<session*>(self);
  for (;;) {
    thread& me = now.threads_[0];
    me.state = status::runnable;
    me.clock.at[0] = 1;
    now.scene_ = (*now.make_)();
    now.thread_count_ = now.scene_->threads();
    for (unsigned k = 1; k <= now.thread_count_; ++k) {
      now.threads_[k].clock = me.clock;
      now.threads_[k].clock.at[k] = 1;
      now.threads_[k].state = status::runnable;
    }
    me.clock.at[0] = 2;
    me.state = status::joining;
    now.leave();
    for (unsigned k = 1; k <= now.thread_count_; ++k) me.clock.join(now.threads_[k].clock);
    now.scene_->check();
    now.scene_.reset();
    now.clean_ = true;
    me.stack.hand_over_to(now.main_);
  }
}

void session::being_explored(void* self) {
  session& now = *static_cast<session*>(self);
  for (;;) {
    now.scene_->run(now.running_ - 1);
    now.apply_late_effects();
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

// -- Decisions ---------------------------------------------------------------------------------

unsigned session::choose(unsigned ways) {
  if (depth_ < trail_->size()) {
    decision& made = (*trail_)[depth_++];
    if (made.ways == 0) made.ways = static_cast<std::uint8_t>(ways);  // a trail from a text
    if (made.ways != ways) fail("the scenario is not deterministic");
    return made.taken;
  }
  if (ends_plainly_) return 0;
  const arena_scope off(false);
  trail_->push_back({0, static_cast<std::uint8_t>(ways)});
  ++depth_;
  return 0;
}

std::uint64_t session::state_hash() const noexcept {
  std::uint64_t hash = mix(memory_hash_, running_);
  for (unsigned k = 1; k <= thread_count_; ++k) {
    const thread& t = threads_[k];
    hash = mix(hash, t.history + static_cast<unsigned>(t.state));
    for (unsigned i = 0; i < t.buffered; ++i) {
      hash = mix(hash, t.buffer[i].value + t.buffer[i].where->id_ * 0x9e3779b97f4a7c15U);
    }
  }
  return hash;
}

// Everything that may follow has been explored, or is being explored, from another schedule that
// came to the same state with as many preemptions left.
bool session::known() noexcept {
  if (depth_ < trail_->size() || keeps_history_) return false;
  const arena_scope off(false);
  ends_plainly_ = visited_.meet(state_hash(), budget_);
  return ends_plainly_;
}

// What other threads may do next.
void session::collect(unsigned but, std::vector<way>& ways) const {
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (k != but && threads_[k].state == status::runnable) {
      ways.push_back({static_cast<std::uint8_t>(k), false});
    }
  }
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (k != but && threads_[k].buffered != 0) ways.push_back({static_cast<std::uint8_t>(k), true});
  }
}

// Before every step: this thread goes on, or is interrupted, which costs one of the budget.
void session::point() {
  if (running_ == 0) return;
  thread& t = me();
  ++t.clock.at[running_];
  ++now_;
  if (++steps_ > step_limit_) {
    if (!ends_plainly_) fail("no end after " + std::to_string(step_limit_) + " steps");
    failure_ = "";
    t.stack.hand_over_to(main_);
  }
  // Who was chosen to begin begins.
  const bool begins = t.last.line == 0;
  while (budget_ > 0 && !ends_plainly_ && !begins) {
    {
      const arena_scope off(false);
      ways_.clear();
      collect(running_, ways_);
    }
    if (ways_.empty() || known()) return;
    const unsigned taken = choose(static_cast<unsigned>(ways_.size()) + 1);
    if (taken == 0) return;
    --budget_;
    const way next = ways_[taken - 1];
    if (next.drains) {
      drain_oldest(threads_[next.thread]);
      continue;
    }
    // What of its stores the others see meanwhile: all, or fewer.
    for (unsigned stay = t.buffered == 0 ? 0 : choose(t.buffered + 1); t.buffered > stay;) {
      drain_oldest(t);
    }
    go_to(next.thread);
    return;
  }
}

// This thread cannot go on: whoever can may, at no cost.
void session::leave() {
  for (;;) {
    {
      const arena_scope off(false);
      ways_.clear();
      collect(0, ways_);
    }
    if (ways_.empty()) break;
    const bool decides = ways_.size() > 1 && !ends_plainly_ && !known();
    const way next = ways_[decides ? choose(static_cast<unsigned>(ways_.size())) : 0];
    if (!next.drains) {
      go_to(next.thread);
      return;
    }
    drain_oldest(threads_[next.thread]);
  }
  std::string asleep;
  for (unsigned k = 1; k <= thread_count_; ++k) {
    if (threads_[k].state != status::asleep) continue;
    asleep += (asleep.empty() ? "" : ", ") + std::string("thread ") + std::to_string(k) +
              " sleeps in " + std::string(plain_name(threads_[k].last.function)) + ":" +
              std::to_string(threads_[k].last.line);
  }
  if (!asleep.empty()) fail("nobody can go on: " + asleep);
  go_to(0);
}

void session::go_to(unsigned k) {
  fiber& from = me().stack;
  running_ = k;
  if (&from != &threads_[k].stack) from.hand_over_to(threads_[k].stack);
}

// -- Memory ------------------------------------------------------------------------------------

void session::absorb(std::uint64_t what) noexcept {
  std::uint64_t& history = me().history;
  history = mix(history, what);
}

void session::check_alive(const location& l, const char* what) {
  if (l.alive_ != alive_mark) fail(std::string(what) + " of memory that is gone");
}

void session::step(const location& l, const site& at) {
  point();
  me().last = at;
  if (l.alive_ != alive_mark)
    fail(std::string("use in ") + at.function + " of memory that is gone");
}

void session::commit(location& l, std::uint64_t value, const vector_clock& released) {
  if (keeps_history_) {
    const arena_scope off(false);
    past_.push_back({&l, now_, l.value_});
  }
  l.value_ = value;
  l.released_ = released;
  memory_hash_ ^= l.contribution_;
  l.contribution_ = mix(mix(l.id_, value), released.hash());
  memory_hash_ ^= l.contribution_;
}

void session::drain_oldest(thread& t) {
  const pending_store oldest = t.buffer[0];
  check_alive(*oldest.where, "a store to a variable");
  if (story_ != nullptr) {
    const arena_scope off(false);
    *story_ += "  thread " + std::to_string(&t - threads_.data()) + "   ... its store of " +
               number(oldest.value) + " reaches #" + number(oldest.where->id_) + "\n";
  }
  std::move(t.buffer.begin() + 1, t.buffer.begin() + t.buffered, t.buffer.begin());
  --t.buffered;
  commit(*oldest.where, oldest.value, oldest.released);
}

void session::drain(thread& t) {
  while (t.buffered != 0) drain_oldest(t);
}

void session::note(action what, const location* l, const site& at, std::memory_order order,
                   const std::string& outcome) {
  const arena_scope off(false);
  *story_ += "  thread " + std::to_string(running_) + " " + std::string(plain_name(at.function)) +
             ":" + std::to_string(at.line) + " " + name_of(what);
  if (l != nullptr) {
    *story_ += "(" + std::string(name_of(order)) + ") #" + number(l->id_) + " " + outcome;
  }
  *story_ += "\n";
}

session::harm_set session::harms_at(action what, std::memory_order& order, const site& at) const {
  harm_set harms;
  for (const mutation& m : mutations_) {
    if (m.what != what || m.where != plain_name(at.function) || running_ == 0) continue;
    if (m.how == harm::weaken) order = std::memory_order_relaxed;
    harms.torn |= m.how == harm::tear;
    harms.omitted |= m.how == harm::omit;
    harms.postponed |= m.how == harm::postpone;
    harms.hoisted |= m.how == harm::hoist;
  }
  return harms;
}

bool session::heeds(std::string_view check) const noexcept {
  return std::none_of(mutations_.begin(), mutations_.end(),
                      [&](const mutation& m) { return m.how == harm::ignore && m.where == check; });
}

std::uint64_t session::load(const location& l, std::memory_order order, const site& at) {
  thread& t = me();
  step(l, at);
  if (!mutations_.empty()) harms_at(action::load, order, at);
  std::uint64_t value = l.value_;
  bool own = false;
  for (unsigned i = t.buffered; i-- > 0 && !own;) {
    if (t.buffer[i].where == &l) {
      value = t.buffer[i].value;
      own = true;
    }
  }
  if (!t.hoisting.empty() && t.hoisting == plain_name(at.function)) {
    // The oldest value that was replaced after that time.
    const auto then = std::find_if(past_.begin(), past_.end(), [&](const past_value& p) {
      return p.where == &l && p.until > t.hoisted_to;
    });
    if (then != past_.end()) value = then->value;
  }
  if (!own && acquires(order)) {
    t.clock.join(l.released_);
    absorb(l.released_.hash());
  }
  t.looked = now_;
  absorb(mix(l.id_, value));
  if (story_ != nullptr) note(action::load, &l, at, order, "gives " + number(value));
  return value;
}

void session::store(location& l, std::uint64_t value, std::memory_order order, const site& at) {
  thread& t = me();
  step(l, at);
  harm_set harms;
  if (!mutations_.empty()) harms = harms_at(action::store, order, at);
  absorb(l.id_);
  if (story_ != nullptr) note(action::store, &l, at, order, "of " + number(value));
  if (harms.omitted) return;
  if (harms.postponed) {
    const arena_scope off(false);
    t.late.push_back({&l, value, action::store});
    return;
  }
  const vector_clock released = releases(order) ? t.clock : vector_clock{};
  if (model_ == memory_model::store_buffers && running_ != 0) {
    if (t.buffered == t.buffer.size()) drain_oldest(t);
    t.buffer[t.buffered++] = {&l, value, released};
    if (order == std::memory_order_seq_cst) drain(t);
  } else {
    commit(l, value, released);
  }
}

session::harm_set session::begin_modify(location& l, action what, std::memory_order& order,
                                        const site& at) {
  step(l, at);
  drain(me());
  harm_set harms;
  if (!mutations_.empty()) harms = harms_at(what, order, at);
  if (acquires(order)) {
    me().clock.join(l.released_);
    absorb(l.released_.hash());
  }
  absorb(mix(l.id_, l.value_));
  return harms;
}

void session::end_modify(location& l, action what, std::uint64_t old, std::uint64_t next,
                         std::memory_order order, const site& at, harm_set harms) {
  thread& t = me();
  if (story_ != nullptr) note(what, &l, at, order, number(old) + " -> " + number(next));
  if (harms.hoisted) {
    t.hoisting = plain_name(at.function);
    t.hoisted_to = t.looked;
  }
  if (harms.omitted) return;
  if (harms.postponed) {
    const arena_scope off(false);
    // An addition or the bits set: what comes between is not undone.
    t.late.push_back({&l, what == action::fetch_add ? next - old : next, what});
    return;
  }
  vector_clock released = l.released_;  // a read-modify-write continues the release sequence
  if (releases(order)) released.join(t.clock);
  commit(l, next, released);
}

bool session::compare_exchange(location& l, std::uint64_t& expected, std::uint64_t desired,
                               std::memory_order success, std::memory_order failure,
                               const site& at) {
  thread& t = me();
  step(l, at);
  drain(t);
  harm_set harms;
  if (!mutations_.empty()) harms = harms_at(action::compare_exchange, success, at);
  const std::uint64_t old = l.value_;
  absorb(mix(l.id_, old));
  const bool equal = old == expected;
  if (acquires(equal ? success : failure)) {
    t.clock.join(l.released_);
    absorb(l.released_.hash());
  }
  if (!equal) {
    t.looked = now_;
    if (story_ != nullptr) {
      note(action::compare_exchange, &l, at, failure, "fails on " + number(old));
    }
    expected = old;
    return false;
  }
  if (harms.torn) point();
  end_modify(l, action::compare_exchange, old, desired, success, at, harms);
  return true;
}

// The effects that were held back, one step each.
void session::apply_late_effects() {
  thread& t = me();
  for (std::size_t i = 0; i < t.late.size(); ++i) {
    const late_effect late = t.late[i];
    step(*late.where, t.last);
    const std::uint64_t old = late.where->value_;
    std::uint64_t next = late.change;
    if (late.what == action::fetch_add) next = old + late.change;
    if (late.what == action::fetch_or) next = old | late.change;
    vector_clock released = late.where->released_;
    released.join(t.clock);
    commit(*late.where, next, released);
  }
  t.late.clear();
}

// -- Sleep -------------------------------------------------------------------------------------

void session::wait(location& l, std::uint64_t expected, const site& at) {
  apply_late_effects();
  step(l, at);
  thread& t = me();
  drain(t);  // a system call
  absorb(mix(l.id_, l.value_));
  if (story_ != nullptr) {
    note(action::wait, &l, at, std::memory_order_relaxed,
         l.value_ == expected ? "while it is " + number(expected) : "not at all");
  }
  if (l.value_ != expected) return;
  if (running_ == 0) fail("a sleep outside of the threads");
  t.state = status::asleep;
  t.bed = &l;
  leave();
}

// The variable may be gone already: the kernel only compares addresses.
void session::wake(location& l, int how_many, const site& at) {
  point();
  thread& t = me();
  t.last = at;
  drain(t);
  std::memory_order order = std::memory_order_relaxed;
  absorb(2);
  if (story_ != nullptr) note(action::wake, &l, at, order, "");
  if (!mutations_.empty() && harms_at(action::wake, order, at).omitted) return;
  for (unsigned k = 1; k <= thread_count_ && how_many > 0; ++k) {
    if (threads_[k].state != status::asleep || threads_[k].bed != &l) continue;
    threads_[k].state = status::runnable;
    threads_[k].bed = nullptr;
    --how_many;
  }
}

}  // namespace evencube::explorer
