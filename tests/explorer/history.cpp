// The weak model: modification orders, and which of its stores an operation may find.
//
// A thread knows a store if it wrote it, read it, or knows, by happens-before, a step that did. It
// may read the last store of the modification order that it knows, and all later ones (coherence);
// and it may put a store of its own behind any of them, though not between a read-modify-write and
// what that read. Seq_cst operations are ordered as they are executed, and so find nothing older
// than what an earlier one of them on the same variable read or wrote.

#include <algorithm>

#include "arena.hpp"
#include "session.hpp"

namespace evencube::explorer {

namespace {

/// How many older stores an operation chooses from: the newest of them and the oldest.
constexpr std::size_t most_older = 6;

}  // namespace

// The last store is no_store for what was there before any thread's first store, which all know.
// `wanted(store, room, agrees)`: whether an older one is a choice. `room`: a store may come behind
// it. `agrees`: it may for a seq_cst operation.
template <typename Wanted>
std::uint32_t session::choose_store(const location& l, Wanted wanted) {
  if (l.newest_ == no_store || left_.old_values == 0 || ends_plainly_) return l.newest_;
  const thread& t = me();
  older_.clear();
  bool agrees = true;
  for (std::uint32_t at = l.newest_;;) {
    const stored& s = stores_[at];
    if (s.before == no_store || s.seen.any_within(t.clock)) break;
    agrees &= at != l.agreed_;
    at = s.before;
    if (!wanted(stores_[at], !s.modifies, agrees)) continue;
    const arena_scope off(false);
    if (older_.size() == most_older) older_.pop_back();
    older_.push_back(at);
  }
  if (older_.empty() || known(3)) return l.newest_;
  const auto ways = static_cast<unsigned>(older_.size());
  const unsigned taken =
      choose(ways + 1, guide_ != nullptr && guide_->unlikely() ? 1 + guide_->any_of(ways) : 0);
  if (taken == 0) return l.newest_;
  --left_.old_values;
  return older_[taken - 1];
}

std::uint32_t session::choose_to_read(const location& l, bool total) {
  return choose_store(l, [&](const stored&, bool, bool agrees) { return agrees || !total; });
}

std::uint32_t session::choose_to_follow(const location& l, bool total) {
  return choose_store(
      l, [&](const stored&, bool room, bool agrees) { return room && (agrees || !total); });
}

// One that fails is a load of any store; one that succeeds comes behind what it read.
std::uint32_t session::choose_to_compare(const location& l, std::uint64_t expected,
                                         bool success_total, bool failure_total) {
  return choose_store(l, [&](const stored& s, bool room, bool agrees) {
    return s.value == expected ? room && (agrees || !success_total) : agrees || !failure_total;
  });
}

std::uint64_t session::link(const location& l, const stored& s) const noexcept {
  return mix(s.hash + l.id_, s.before == no_store ? 0 : stores_[s.before].hash);
}

void session::agree(const location& l, std::uint32_t store) noexcept {
  if (l.agreed_ == store) return;
  const auto part = [&] {
    return l.agreed_ == no_store ? 0 : mix(stores_[l.agreed_].hash + 0x6c62272e07bb0142U);
  };
  std::uint64_t change = part();
  l.agreed_ = store;
  change ^= part();
  l.past_ ^= change;
  histories_hash_ ^= change;
}

// This thread has read that store.
void session::saw(const location& l, std::uint32_t store, bool total) {
  if (store == no_store) return;
  stored& s = stores_[store];
  thread& t = me();
  if (!s.seen.any_within(t.clock)) {
    s.seen.at[running_] = t.clock.at[running_];
    const std::uint64_t change = mix(s.hash, running_ << 16 | t.clock.at[running_]);
    l.past_ ^= change;
    histories_hash_ ^= change;
  }
  if (total) agree(l, store);
}

// A store comes behind another. Whether it is the last.
bool session::remember(location& l, std::uint64_t value, const vector_clock& released,
                       std::uint32_t behind, bool modifies, bool total) {
  const arena_scope off(false);
  const thread& t = me();
  vector_clock nobody;
  nobody.at.fill(vector_clock::never);
  if (l.newest_ == no_store) {
    // What was there before.
    vector_clock everybody;
    stores_.push_back({l.value_, l.released_, everybody, mix(l.id_, l.value_), no_store, false});
    behind = l.newest_ = static_cast<std::uint32_t>(stores_.size() - 1);
  }
  const auto added = static_cast<std::uint32_t>(stores_.size());
  const std::uint64_t name = std::uint64_t{running_} << 16 | t.clock.at[running_];
  stores_.push_back({value, released, nobody, mix(mix(l.id_, value), mix(released.hash(), name)),
                     behind, modifies});
  stores_[added].seen.at[running_] = t.clock.at[running_];
  std::uint64_t change = link(l, stores_[added]);
  const bool last = behind == l.newest_;
  if (last) {
    l.newest_ = added;
  } else {
    std::uint32_t next = l.newest_;
    while (stores_[next].before != behind) next = stores_[next].before;
    change ^= link(l, stores_[next]);
    stores_[next].before = added;
    change ^= link(l, stores_[next]);
  }
  l.past_ ^= change;
  histories_hash_ ^= change;
  if (total) agree(l, added);
  return last;
}

void session::forget(location& l) noexcept {
  histories_hash_ ^= l.past_;
  l.past_ = 0;
}

}  // namespace evencube::explorer
