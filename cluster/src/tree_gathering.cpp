#include "tree_gathering.hpp"

#include <utility>

#include "rank_tree.hpp"

namespace evencube::detail {

void tree_gathering::contribute(message_bytes own, std::vector<outgoing>& out) {
  known_.add(rank_, std::move(own));
  send_up(out);
}

void tree_gathering::receive(bool down, byte_reader known, std::vector<outgoing>& out) {
  known_.read(known);
  if (down) {
    send_down(out);
  } else {
    send_up(out);
  }
}

std::vector<unsigned> tree_gathering::waits_for() const {
  std::vector<unsigned> found;
  detail::for_each_tree_child(rank_, size_, [&](unsigned child) {
    if (!known_.has(child)) found.push_back(child);
  });
  return found;
}

// What a child sends has its own contribution, and comes when its whole branch has contributed.
void tree_gathering::send_up(std::vector<outgoing>& out) {
  if (sent_up_ || !known_.has(rank_) || !waits_for().empty()) return;
  sent_up_ = true;
  if (rank_ == 0) {
    send_down(out);
  } else {
    out.push_back({detail::tree_parent(rank_), false, known_.written()});
  }
}

void tree_gathering::send_down(std::vector<outgoing>& out) {
  complete_ = true;
  detail::for_each_tree_child(
      rank_, size_, [&](unsigned child) { out.push_back({child, true, known_.written()}); });
}

}  // namespace evencube::detail
