#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace evencube::explorer {

/// States that were met, each with the largest number of preemptions that was left there. Forgets
/// nothing until it is full, and takes no more then.
class visited_states {
 public:
  static constexpr unsigned most_left = 14;

  /// Whether the state was met with at least `left`, at most `most_left`; now it has been.
  bool meet(std::uint64_t hash, unsigned left) {
    if ((size_ + 1) * 2 > table_.size() && table_.size() < largest) grow();
    const std::uint64_t key = hash & ~std::uint64_t{15};
    for (std::size_t i = place(hash);; i = (i + 1) & (table_.size() - 1)) {
      std::uint64_t& entry = table_[i];
      if (entry == 0) {
        if ((size_ + 1) * 4 > table_.size() * 3) return false;
        entry = key | (left + 1);
        ++size_;
        return false;
      }
      if ((entry & ~std::uint64_t{15}) != key) continue;
      if ((entry & 15) > left) return true;
      entry = key | (left + 1);
      return false;
    }
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

 private:
  static constexpr std::size_t largest = std::size_t{1} << 24;

  [[nodiscard]] std::size_t place(std::uint64_t hash) const noexcept {
    return static_cast<std::size_t>(hash >> 4) & (table_.size() - 1);
  }
  void grow() {
    const std::vector<std::uint64_t> old = std::move(table_);
    table_.assign(old.empty() ? std::size_t{1} << 12 : old.size() * 4, 0);
    for (const std::uint64_t entry : old) {
      if (entry == 0) continue;
      std::size_t i = place(entry);
      while (table_[i] != 0) i = (i + 1) & (table_.size() - 1);
      table_[i] = entry;
    }
  }

  std::vector<std::uint64_t> table_;
  std::uint64_t size_ = 0;
};

}  // namespace evencube::explorer
