#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <evencube/balancers/plan.hpp>

namespace evencube {

/// A plan as its senders see it: for every node its sends in phase order, and the directed links.
struct send_lists {
  struct send {
    node_id to;
    std::uint32_t link;
    load_type quanta;
  };
  struct link {
    node_id from;
    node_id to;
    /// The units over the whole plan.
    load_type quanta;
  };

  send_lists(std::size_t nodes, const plan& planned);

  [[nodiscard]] std::span<const send> of(node_id k) const {
    return {sends.data() + first_send[k], first_send[k + 1] - first_send[k]};
  }
  /// The links that leave k are links[first_link[k]] .. links[first_link[k+1]-1], in the order in
  /// which the plan first uses them.
  std::vector<std::size_t> first_send;
  std::vector<std::size_t> first_link;
  std::vector<send> sends;
  std::vector<link> links;
};

}  // namespace evencube
