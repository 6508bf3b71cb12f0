#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace evencube::detail {

/// The collective calls that a rank has begun, and what other ranks say of theirs: call `n` has the
/// same name on all ranks, or that is an error (K in cluster/docs/ranks.md). Pure, as `termination`
/// is.
class call_order {
 public:
  /// A call that has other names on two ranks.
  struct difference {
    std::uint64_t call;
    std::string here;
    std::string there;
    unsigned rank;  // there
  };

  /// This rank begins a call, and gets its number, from 1 on.
  std::uint64_t begin(std::string name) {
    names_.push_back(std::move(name));
    if (names_.size() > most_names) names_.pop_front();
    ++begun_;
    const auto said = expected_.find(begun_);
    if (said == expected_.end()) return begun_;
    compare(begun_, said->second.first, said->second.second);
    expected_.erase(said);
    return begun_;
  }
  /// Another rank says which call it is in.
  void hear(std::uint64_t call, unsigned from, const std::string& name) {
    if (call <= begun_) {
      compare(call, from, name);
    } else {
      expected_.try_emplace(call, from, name);
    }
  }

  [[nodiscard]] std::uint64_t begun() const noexcept { return begun_; }
  /// The name of a call that this rank has begun, or null if that was long ago.
  [[nodiscard]] const std::string* name_of(std::uint64_t call) const {
    const std::uint64_t back = begun_ - call;
    return back < names_.size() ? &names_[names_.size() - 1 - back] : nullptr;
  }
  /// The first difference found.
  [[nodiscard]] const std::optional<difference>& mismatch() const noexcept { return mismatch_; }

 private:
  /// Ranks are never further apart than that, because each call needs all of them.
  static constexpr std::size_t most_names = 16;

  void compare(std::uint64_t call, unsigned from, const std::string& there) {
    const std::string* const here = name_of(call);
    if (here == nullptr || *here == there || mismatch_) return;
    mismatch_ = difference{call, *here, there, from};
  }

  std::uint64_t begun_ = 0;
  std::deque<std::string> names_;  // of the last ones
  /// What another rank said of a call that this rank has not begun.
  std::map<std::uint64_t, std::pair<unsigned, std::string>> expected_;
  std::optional<difference> mismatch_;
};

}  // namespace evencube::detail
