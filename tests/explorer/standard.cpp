#include "standard.hpp"

#include <algorithm>
#include <utility>

#include "names.hpp"

namespace evencube::explorer {

namespace {

/// A relation between at most 16 events.
struct relation {
  std::array<std::uint16_t, 16> to{};

  void add(std::size_t a, std::size_t b) noexcept {
    to[a] = static_cast<std::uint16_t>(to[a] | 1U << b);
  }
  [[nodiscard]] bool has(std::size_t a, std::size_t b) const noexcept {
    return (to[a] >> b & 1U) != 0;
  }
  [[nodiscard]] relation with(const relation& other) const noexcept {
    relation both = *this;
    for (std::size_t i = 0; i < to.size(); ++i) {
      both.to[i] = static_cast<std::uint16_t>(both.to[i] | other.to[i]);
    }
    return both;
  }
  [[nodiscard]] relation then(const relation& next) const noexcept {
    relation chain;
    for (std::size_t a = 0; a < to.size(); ++a) {
      for (std::size_t b = 0; b < to.size(); ++b) {
        if (has(a, b)) chain.to[a] = static_cast<std::uint16_t>(chain.to[a] | next.to[b]);
      }
    }
    return chain;
  }
  [[nodiscard]] relation closed() const noexcept {
    relation all = *this;
    for (std::size_t b = 0; b < to.size(); ++b) {
      for (std::uint16_t& row : all.to) {
        if ((row >> b & 1U) != 0) row = static_cast<std::uint16_t>(row | all.to[b]);
      }
    }
    return all;
  }
  [[nodiscard]] bool has_circle() const noexcept { return closed().is_reflexive_somewhere(); }
  [[nodiscard]] bool is_reflexive_somewhere() const noexcept {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (has(i, i)) return true;
    }
    return false;
  }
  /// Between events of a set.
  [[nodiscard]] relation among(std::uint16_t set) const noexcept {
    relation some;
    for (std::size_t i = 0; i < to.size(); ++i) {
      if ((set >> i & 1U) != 0) some.to[i] = static_cast<std::uint16_t>(to[i] & set);
    }
    return some;
  }
};

constexpr unsigned variables = 2;

/// All candidates for executions of a program. The first events are the variables' first values.
class judge {
 public:
  explicit judge(const small_program& program) {
    for (unsigned v = 0; v < variables; ++v) {
      events_.push_back({operation::store, v, std::memory_order_relaxed, 0});
    }
    for (const auto& thread : program) {
      const std::size_t first = events_.size();
      events_.insert(events_.end(), thread.begin(), thread.end());
      for (std::size_t b = first; b < events_.size(); ++b) {
        for (std::size_t a = first; a < b; ++a) program_order_.add(a, b);
        for (unsigned v = 0; v < variables; ++v) first_order_.add(v, b);
      }
    }
    for (std::size_t e = 0; e < events_.size(); ++e) {
      if (writes(e)) stores_[events_[e].variable].push_back(e);
      if (reads(e)) readers_.push_back(e);
      if (e >= variables && is_total(events_[e].order)) {
        total_ = static_cast<std::uint16_t>(total_ | 1U << e);
      }
    }
    source_.resize(events_.size());
  }

  allowed_outcomes all() {
    order_variable(0);
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool writes(std::size_t e) const { return events_[e].what != operation::load; }
  [[nodiscard]] bool reads(std::size_t e) const { return events_[e].what != operation::store; }

  // The first value stays first in each modification order.
  void order_variable(unsigned v) {
    if (v == variables) return choose_source(0);
    std::vector<std::size_t>& order = stores_[v];
    std::sort(order.begin() + 1, order.end());
    do {
      order_variable(v + 1);
    } while (std::next_permutation(order.begin() + 1, order.end()));
  }

  void choose_source(std::size_t reader) {
    if (reader == readers_.size()) return decide();
    const std::size_t e = readers_[reader];
    const std::vector<std::size_t>& order = stores_[events_[e].variable];
    for (std::size_t i = 0; i < order.size(); ++i) {
      if (order[i] == e) continue;
      // Nothing comes between a read-modify-write and what it reads.
      if (writes(e) && (i + 1 == order.size() || order[i + 1] != e)) continue;
      source_[e] = order[i];
      choose_source(reader + 1);
    }
  }

  void decide() {
    relation reads_from;
    relation modification_order;
    relation from_read;
    for (const auto& order : stores_) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        for (std::size_t j = i + 1; j < order.size(); ++j)
          modification_order.add(order[i], order[j]);
      }
    }
    for (const std::size_t e : readers_) {
      reads_from.add(source_[e], e);
      for (std::size_t w = 0; w < events_.size(); ++w) {
        if (w != e && modification_order.has(source_[e], w)) from_read.add(e, w);
      }
    }
    if (program_order_.with(reads_from).has_circle()) return;
    relation synchronizes;
    for (const std::size_t e : readers_) {
      if (!acquires(events_[e].order)) continue;
      // The release sequence: back through read-modify-writes.
      for (std::size_t w = source_[e];; w = source_[w]) {
        if (w >= variables && releases(events_[w].order)) synchronizes.add(w, e);
        if (!reads(w)) break;
      }
    }
    const relation before =
        program_order_.with(first_order_).with(synchronizes).closed();  // happens before
    const relation coherence = reads_from.with(modification_order).with(from_read).closed();
    if (before.has_circle() || before.then(coherence).is_reflexive_somewhere()) return;
    const relation strongly = program_order_.with(synchronizes.among(total_))
                                  .with(program_order_.then(before).then(program_order_))
                                  .closed();
    const relation agreed = coherence.among(total_);
    if (strongly.among(total_).with(agreed).has_circle()) return;
    small_outcome seen;
    for (const std::size_t e : readers_) seen.push_back(events_[source_[e]].value);
    for (const auto& order : stores_) seen.push_back(events_[order.back()].value);
    found_.standard.insert(seen);
    if (!program_order_.with(reads_from).with(agreed).has_circle()) found_.executable.insert(seen);
  }

  std::vector<operation> events_;
  relation program_order_;
  relation first_order_;  // what was there is before everything
  std::array<std::vector<std::size_t>, variables> stores_;
  std::vector<std::size_t> readers_;
  std::vector<std::size_t> source_;
  std::uint16_t total_ = 0;
  allowed_outcomes found_;
};

}  // namespace

allowed_outcomes outcomes_of(const small_program& program) { return judge(program).all(); }

}  // namespace evencube::explorer
