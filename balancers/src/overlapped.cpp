#include <algorithm>
#include <numeric>
#include <queue>

#include <evencube/balancers/plan_tools.hpp>

#include "disciplines.hpp"
#include "send_lists.hpp"

namespace evencube {
namespace {

/// The sends that are left for each node, and the load that it holds now.
struct launcher {
  launcher(std::span<const load_type> loads, const plan& planned)
      : lists(loads.size(), planned),
        next(lists.first_send.begin(), lists.first_send.end() - 1),
        current(loads.begin(), loads.end()) {}

  [[nodiscard]] bool done(node_id k) const { return next[k] == lists.first_send[k + 1]; }

  /// Launches the longest prefix of k's remaining sends that its present load covers.
  template <typename Launch>
  void launch_prefix(node_id k, Launch&& launch) {
    while (!done(k) && lists.sends[next[k]].quanta <= current[k]) {
      const auto& send = lists.sends[next[k]++];
      current[k] -= send.quanta;
      launch(send);
    }
  }

  send_lists lists;
  std::vector<std::size_t> next;
  std::vector<load_type> current;
};

struct arrival {
  load_type time;
  node_id to;
  load_type quanta;
  friend bool operator>(const arrival& a, const arrival& b) { return a.time > b.time; }
};

struct started {
  load_type time;
  transfer moved;
};

/// Groups launches by their time.
void group(const std::vector<started>& launches, schedule& steps) {
  // By time, and for equal times in the order of launching.
  std::vector<std::size_t> order(launches.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return launches[a].time != launches[b].time ? launches[a].time < launches[b].time : a < b;
  });
  for (const std::size_t at : order) {
    const auto& [time, moved] = launches[at];
    if (steps.steps.empty() || steps.steps.back().start != time) {
      steps.steps.push_back({time, 0, {}});
    }
    auto& step = steps.steps.back();
    step.duration = std::max(step.duration, moved.quanta);
    step.transfers.push_back(moved);
  }
}

}  // namespace

load_type run_rounds(std::span<const load_type> loads, const plan& planned, schedule* steps) {
  launcher state(loads, planned);
  std::vector<node_id> waiting;
  for (node_id k = 0; k < loads.size(); ++k) {
    if (!state.done(k)) waiting.push_back(k);
  }
  load_type cost = 0;
  phase launched;
  while (!waiting.empty()) {
    launched.clear();
    load_type longest = 0;
    for (const node_id k : waiting) {
      const std::size_t own = launched.size();
      state.launch_prefix(k, [&](const send_lists::send& send) {
        // If the same link is used twice in one round, this is one longer transfer.
        const auto twice =
            std::find_if(launched.begin() + static_cast<std::ptrdiff_t>(own), launched.end(),
                         [&](const transfer& t) { return t.to == send.to; });
        auto& moved =
            twice != launched.end() ? *twice : launched.emplace_back(transfer{k, send.to, 0});
        moved.quanta += send.quanta;
        longest = std::max(longest, moved.quanta);
      });
    }
    for (const transfer& t : launched) state.current[t.to] += t.quanta;
    if (steps != nullptr) steps->steps.push_back({cost, longest, launched});
    cost = saturating_add(cost, longest);
    std::erase_if(waiting, [&](node_id k) { return state.done(k); });
  }
  return cost;
}

load_type run_overlapped(std::span<const load_type> loads, const plan& planned, schedule* steps) {
  launcher state(loads, planned);
  std::vector<load_type> free_at(state.lists.links.size(), 0);
  std::priority_queue<arrival, std::vector<arrival>, std::greater<>> arrivals;
  std::vector<started> launches;
  load_type cost = 0;
  const auto launch_from = [&](node_id k, load_type now) {
    state.launch_prefix(k, [&](const send_lists::send& send) {
      const load_type start = std::max(now, free_at[send.link]);
      const load_type end = saturating_add(start, send.quanta);
      free_at[send.link] = end;
      cost = std::max(cost, end);
      arrivals.push({end, send.to, send.quanta});
      if (steps != nullptr) launches.push_back({start, {k, send.to, send.quanta}});
    });
  };
  for (node_id k = 0; k < loads.size(); ++k) launch_from(k, 0);
  std::vector<node_id> reached;
  while (!arrivals.empty()) {
    const load_type now = arrivals.top().time;
    reached.clear();
    while (!arrivals.empty() && arrivals.top().time == now) {
      state.current[arrivals.top().to] += arrivals.top().quanta;
      reached.push_back(arrivals.top().to);
      arrivals.pop();
    }
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    for (const node_id k : reached) launch_from(k, now);
  }
  if (steps != nullptr) group(launches, *steps);
  return cost;
}

}  // namespace evencube
