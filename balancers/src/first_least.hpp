#pragma once

#include <bit>
#include <cstddef>
#include <utility>
#include <vector>

#include <evencube/balancers/topology.hpp>

namespace evencube {

/// Finds the first of the nodes with the least value, while single values change. It is a
/// tournament of all nodes; a change is played again up to the root.
template <typename Value>
class first_least {
 public:
  /// Precondition: there is at least one value.
  explicit first_least(std::vector<Value> values)
      : values_(std::move(values)),
        leaves_(std::bit_ceil(values_.size())),
        winners_(2 * leaves_, absent) {
    for (std::size_t k = 0; k < values_.size(); ++k) winners_[leaves_ + k] = k;
    for (std::size_t i = leaves_; i-- > 1;) play(i);
  }

  [[nodiscard]] const Value& operator[](node_id k) const { return values_[k]; }
  [[nodiscard]] node_id node() const { return static_cast<node_id>(winners_[1]); }

  void set(node_id k, Value value) {
    values_[k] = value;
    for (std::size_t i = (leaves_ + k) / 2; i > 0; i /= 2) play(i);
  }

 private:
  static constexpr std::size_t absent = static_cast<std::size_t>(-1);

  void play(std::size_t i) {
    const std::size_t left = winners_[2 * i];
    const std::size_t right = winners_[2 * i + 1];
    // If both values are equal, the node on the left wins.
    winners_[i] = right == absent || values_[left] <= values_[right] ? left : right;
  }

  std::vector<Value> values_;
  std::size_t leaves_;
  std::vector<std::size_t> winners_;  // [i]: of 2 i and 2 i + 1; [leaves_ + k]: node k itself
};

}  // namespace evencube
