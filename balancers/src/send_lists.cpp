#include "send_lists.hpp"

#include <algorithm>
#include <limits>

#include <evencube/balancers/plan_tools.hpp>

namespace evencube {

send_lists::send_lists(std::size_t nodes, const plan& planned)
    : first_send(nodes + 1, 0), first_link(nodes + 1, 0) {
  for (const phase& moves : planned.phases) {
    for (const transfer& t : moves) ++first_send[t.from + 1];
  }
  for (std::size_t k = 0; k < nodes; ++k) first_send[k + 1] += first_send[k];
  sends.resize(first_send[nodes]);
  auto next = first_send;
  for (const phase& moves : planned.phases) {
    for (const transfer& t : moves) sends[next[t.from]++] = {t.to, 0, t.quanta};
  }
  // Numbers the links of each node in the order of their first use.
  constexpr auto unseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> seen(nodes, unseen);
  for (std::size_t k = 0; k < nodes; ++k) {
    first_link[k] = links.size();
    for (std::size_t i = first_send[k]; i < first_send[k + 1]; ++i) {
      send& s = sends[i];
      if (seen[s.to] == unseen) {
        seen[s.to] = static_cast<std::uint32_t>(links.size());
        links.push_back({static_cast<node_id>(k), s.to, 0});
      }
      s.link = seen[s.to];
      links[s.link].quanta = saturating_add(links[s.link].quanta, s.quanta);
    }
    for (std::size_t i = first_send[k]; i < first_send[k + 1]; ++i) seen[sends[i].to] = unseen;
  }
  first_link[nodes] = links.size();
}

}  // namespace evencube
