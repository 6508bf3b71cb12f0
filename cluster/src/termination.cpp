#include "termination.hpp"

#include <algorithm>
#include <utility>

#include <evencube/error.hpp>

#include "rank_tree.hpp"

namespace evencube::detail {

termination::termination(unsigned rank, unsigned size) : rank_(rank) {
  detail::for_each_tree_child(rank, size, [this](unsigned each) { children_.push_back({each}); });
}

void termination::receive(unsigned from, const termination_message& message,
                          std::vector<outgoing>& out) {
  switch (message.what) {
    case termination_message::kind::probe:
      asked_ = true;
      ask_children(out);
      break;
    case termination_message::kind::answer: {
      const auto found = std::find_if(children_.begin(), children_.end(),
                                      [from](const child& each) { return each.rank == from; });
      if (found == children_.end()) throw error("cluster: a message of another program");
      found->asked = false;
      found->counted = message.counted;
      break;
    }
    case termination_message::kind::over:
      end(out);
      break;
  }
}

void termination::passive(const work_on_its_way& own, std::vector<outgoing>& out) {
  if (over_ || (rank_ != 0 && !asked_) || !children_answered()) return;
  std::optional<work_on_its_way> all = counted_by_branch(own);
  if (rank_ == 0) {
    // F in the page. If not everything is done, or not all ranks have counted, they count again.
    if (all && all->empty()) {
      end(out);
    } else {
      ask_children(out);
    }
  } else {
    asked_ = false;
    said_ = all;
    out.push_back({detail::tree_parent(rank_),
                   {.what = termination_message::kind::answer, .counted = std::move(*all)}});
  }
}

void termination::passive_with_a_message(const work_on_its_way& own, std::vector<outgoing>& out) {
  if (over_ || rank_ == 0) return;
  std::optional<work_on_its_way> all = counted_by_branch(own);
  if (!all || all == said_) return;
  said_ = all;
  out.push_back({detail::tree_parent(rank_),
                 {.what = termination_message::kind::answer, .counted = std::move(*all)}});
}

void termination::ask_children(std::vector<outgoing>& out) {
  for (child& each : children_) {
    if (std::exchange(each.asked, true)) continue;
    out.push_back({each.rank, {.what = termination_message::kind::probe}});
  }
}

bool termination::children_answered() const {
  return std::none_of(children_.begin(), children_.end(),
                      [](const child& each) { return each.asked; });
}

// Returns none if a child has not sent its counts yet.
std::optional<work_on_its_way> termination::counted_by_branch(const work_on_its_way& own) const {
  work_on_its_way sum = own;
  for (const child& each : children_) {
    if (!each.counted) return std::nullopt;
    for (const auto& [rank, count] : *each.counted) sum[rank] += count;
  }
  std::erase_if(sum, [](const auto& each) { return each.second == 0; });
  return sum;
}

void termination::end(std::vector<outgoing>& out) {
  over_ = true;
  for (const child& each : children_) {
    out.push_back({each.rank, {.what = termination_message::kind::over}});
  }
}

}  // namespace evencube::detail
