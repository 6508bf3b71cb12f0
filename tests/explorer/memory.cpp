// What operations on atomics do.

#include <algorithm>

#include "arena.hpp"
#include "names.hpp"
#include "session.hpp"

namespace evencube::explorer {

void session::absorb(std::uint64_t what) noexcept {
  std::uint64_t& history = me().history;
  history = mix(history, what);
}

void session::acquire(const vector_clock& released) {
  me().clock.join(released);
  absorb(released.hash());
}

void session::step(const location& l, const site& at) {
  point();
  thread& t = me();
  t.before = t.last;
  t.last = at;
  check_alive(l, at.function);
  check_made(l, at.function);
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
  written();
}

// Behind that store of the weak model's history, or last.
void session::write(location& l, std::uint64_t value, const vector_clock& released,
                    std::uint32_t behind, bool modifies, bool total) {
  if (model_ == memory_model::weak && running_ != 0 &&
      !remember(l, value, released, behind, modifies, total)) {
    return;
  }
  commit(l, value, released);
}

void session::drain_oldest(thread& t) {
  const pending_store oldest = t.buffer[0];
  check_alive(*oldest.where, "a late store");
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

std::uint64_t session::load(const location& l, std::memory_order order, const site& at) {
  thread& t = me();
  step(l, at);
  if (!mutations_.empty()) harms_at(action::load, order, at);
  std::uint64_t value = l.value_;
  const vector_clock* released = &l.released_;
  bool old = false;
  for (unsigned i = t.buffered; i-- > 0 && released != nullptr;) {
    if (t.buffer[i].where == &l) {
      value = t.buffer[i].value;
      released = nullptr;  // its own
    }
  }
  if (model_ == memory_model::weak && running_ != 0) {
    const std::uint32_t from = choose_to_read(l, is_total(order));
    old = from != l.newest_;
    if (old) {
      value = stores_[from].value;
      released = &stores_[from].released;
    }
    saw(l, from, is_total(order));
  }
  if (!t.hoisting.empty() && t.hoisting == plain_name(at.function)) {
    // The oldest value that was replaced after that time.
    const auto then = std::find_if(past_.begin(), past_.end(), [&](const past_value& p) {
      return p.where == &l && p.until > t.hoisted_to;
    });
    if (then != past_.end()) value = then->value;
  }
  if (released != nullptr && acquires(order)) acquire(*released);
  t.looked = now_;
  absorb(mix(l.id_, value));
  if (story_ != nullptr) {
    note(action::load, &l, at, order,
         "gives " + number(value) + (old ? ", an older value than " + number(l.value_) : ""));
  }
  return value;
}

void session::store(location& l, std::uint64_t value, std::memory_order order, const site& at) {
  thread& t = me();
  step(l, at);
  harm_set harms;
  if (!mutations_.empty()) harms = harms_at(action::store, order, at);
  absorb(l.id_);
  if (harms.omitted || harms.postponed) {
    if (story_ != nullptr) note(action::store, &l, at, order, "of " + number(value) + ", not yet");
    if (harms.omitted) return;
    const arena_scope off(false);
    t.late.push_back({&l, value, action::store});
    return;
  }
  const vector_clock released = releases(order) ? t.clock : vector_clock{};
  std::uint32_t behind = l.newest_;
  if (model_ == memory_model::weak && running_ != 0) behind = choose_to_follow(l, is_total(order));
  if (story_ != nullptr) {
    note(action::store, &l, at, order,
         "of " + number(value) +
             (behind != l.newest_ ? ", before that of " + number(l.value_) : ""));
  }
  if (model_ == memory_model::store_buffers && running_ != 0) {
    if (t.buffered == t.buffer.size()) drain_oldest(t);
    if (guide_ != nullptr && t.buffered == 0) guide_->renew(max_threads + running_);
    t.buffer[t.buffered++] = {&l, value, released};
    if (order == std::memory_order_seq_cst) drain(t);
  } else {
    write(l, value, released, behind, false, is_total(order));
  }
}

session::modification session::begin_modify(location& l, action what, std::memory_order& order,
                                            const site& at) {
  step(l, at);
  drain(me());
  modification of{{}, l.value_, l.newest_};
  if (!mutations_.empty()) of.harms = harms_at(what, order, at);
  const vector_clock* released = &l.released_;
  if (model_ == memory_model::weak && running_ != 0 && !of.harms.torn) {
    of.behind = choose_to_follow(l, is_total(order));
    if (of.behind != l.newest_) {
      of.old = stores_[of.behind].value;
      released = &stores_[of.behind].released;
    }
  }
  if (acquires(order)) acquire(*released);
  absorb(mix(l.id_, of.old));
  return of;
}

void session::end_modify(location& l, action what, const modification& of, std::uint64_t next,
                         std::memory_order order, const site& at) {
  thread& t = me();
  const bool last = of.harms.torn || of.behind == l.newest_;
  if (story_ != nullptr) {
    note(what, &l, at, order,
         number(of.old) + " -> " + number(next) +
             (last ? "" : ", before the store of " + number(l.value_)));
  }
  if (of.harms.hoisted) {
    t.hoisting = plain_name(at.function);
    t.hoisted_to = t.looked;
  }
  if (of.harms.omitted) return;
  if (of.harms.postponed) {
    const arena_scope off(false);
    // An addition or the bits set: what comes between is not undone.
    t.late.push_back({&l, what == action::fetch_add ? next - of.old : next, what});
    return;
  }
  // A read-modify-write continues the release sequence.
  vector_clock released = last ? l.released_ : stores_[of.behind].released;
  if (releases(order)) released.join(t.clock);
  write(l, next, released, last ? l.newest_ : of.behind, !of.harms.torn, is_total(order));
}

// An operation that may, does.
bool session::fails_for_nothing() {
  if (left_.failures == 0 || running_ == 0 || ends_plainly_ || known(4)) return false;
  if (choose(2, guide_ != nullptr && guide_->unlikely() ? 1 : 0) == 0) return false;
  --left_.failures;
  return true;
}

bool session::compare_exchange(location& l, std::uint64_t& expected, std::uint64_t desired,
                               std::memory_order success, std::memory_order failure, bool weak,
                               const site& at) {
  thread& t = me();
  step(l, at);
  drain(t);
  modification of{{}, l.value_, l.newest_};
  if (!mutations_.empty()) of.harms = harms_at(action::compare_exchange, success, at);
  if (model_ == memory_model::weak && running_ != 0) {
    of.behind = choose_to_compare(l, expected, is_total(success), is_total(failure));
    if (of.behind != l.newest_) of.old = stores_[of.behind].value;
  }
  const bool old = of.behind != l.newest_;
  const bool equal = of.old == expected;
  const bool done = equal && !(weak && !old && fails_for_nothing());
  const std::memory_order order = done ? success : failure;
  absorb(mix(l.id_ + (done ? 1ULL << 40 : 0), of.old));
  if (acquires(order)) acquire(old ? stores_[of.behind].released : l.released_);
  if (!done) {
    if (model_ == memory_model::weak && running_ != 0) saw(l, of.behind, is_total(failure));
    t.looked = now_;
    if (story_ != nullptr) {
      note(action::compare_exchange, &l, at, failure,
           equal ? "fails for nothing on " + number(of.old)
                 : "fails on " + number(of.old) +
                       (old ? ", an older value than " + number(l.value_) : ""));
    }
    expected = of.old;
    return false;
  }
  if (of.harms.torn) point();
  end_modify(l, action::compare_exchange, of, desired, success, at);
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
    write(*late.where, next, released, late.where->newest_, false, false);
  }
  t.late.clear();
}

}  // namespace evencube::explorer
