#include <evencube/balancers/batches.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <evencube/balancers/plan_tools.hpp>

#include "send_lists.hpp"

namespace evencube {
namespace {

constexpr load_type usual_steps = 16;

class batch_rotation {
 public:
  batch_rotation(std::span<const load_type> loads, const plan& planned)
      : lists_(loads.size(), planned),
        current_(loads.begin(), loads.end()),
        last_(loads.size()),
        open_(loads.size()) {
    for (const auto& link : lists_.links) togo_.push_back(link.quanta);
    for (node_id k = 0; k < loads.size(); ++k) {
      open_[k] = lists_.first_link[k + 1] - lists_.first_link[k];
      if (open_[k] == 0) continue;
      active_.push_back(k);
      last_[k] = lists_.first_link[k + 1] - 1;
    }
  }

  /// Returns false if no node can go on though quanta are left.
  bool run(load_type batch, schedule& made) {
    while (!active_.empty()) {
      schedule_step step{made.cost, 0, {}};
      for (const node_id k : active_) send(k, batch, step);
      if (step.transfers.empty()) return false;
      for (const transfer& t : step.transfers) current_[t.to] += t.quanta;
      made.cost = saturating_add(made.cost, step.duration);
      made.steps.push_back(std::move(step));
      std::erase_if(active_, [&](node_id k) { return open_[k] == 0; });
    }
    return true;
  }

 private:
  void send(node_id k, load_type batch, schedule_step& step) {
    const std::size_t first = lists_.first_link[k];
    const std::size_t end = lists_.first_link[k + 1];
    std::size_t link = last_[k];
    for (std::size_t i = first; i < end && current_[k] > 0; ++i) {
      link = link + 1 == end ? first : link + 1;
      const load_type part = std::min({batch, togo_[link], current_[k]});
      if (part == 0) continue;
      current_[k] -= part;
      togo_[link] -= part;
      if (togo_[link] == 0) --open_[k];
      last_[k] = link;
      step.duration = std::max(step.duration, part);
      step.transfers.push_back({k, lists_.links[link].to, part});
    }
  }

  send_lists lists_;
  std::vector<load_type> current_;
  std::vector<load_type> togo_;
  std::vector<std::size_t> last_;
  /// For each node, the number of links that still need quanta.
  std::vector<std::size_t> open_;
  std::vector<node_id> active_;
};

}  // namespace

schedule make_batched_schedule(std::span<const load_type> loads, const plan& planned,
                               load_type batch) {
  if (batch < 1) {
    throw std::invalid_argument("batch: " + std::to_string(batch) +
                                " is not allowed; at least 1 quantum");
  }
  if (batch == 1) return make_schedule(transmission::pipelined, loads, planned);
  schedule made;
  const bool through = batch_rotation(loads, planned).run(batch, made);
  if (through && made.cost <= transmission_cost(transmission::overlapped, loads, planned)) {
    return made;
  }
  return make_schedule(transmission::overlapped, loads, planned);
}

load_type usual_batch(std::size_t nodes, const plan& planned) {
  load_type busiest = 0;
  const send_lists lists(nodes, planned);
  for (const auto& link : lists.links) busiest = std::max(busiest, link.quanta);
  return std::max<load_type>(1, busiest / usual_steps + (busiest % usual_steps != 0 ? 1 : 0));
}

}  // namespace evencube
