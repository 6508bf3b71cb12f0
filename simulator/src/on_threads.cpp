#include "on_threads.hpp"

#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>

namespace evencube::simulator {
namespace {

/// What the pair rule gives a worker without load; the task that the other runs stays.
transfer share_of(const std::vector<load_type>& loads, node_id from, node_id k) {
  load_type share = loads[from] / 2;
  if (loads[from] % 2 != 0 && (share % 2 != 0) == (k > from)) ++share;
  return transfer{from, k, std::min(share, loads[from] - 1)};
}

/// From the first neighbour that has something.
std::optional<transfer> pull(const topology& graph, const std::vector<load_type>& loads,
                             node_id k) {
  std::optional<transfer> found;
  graph.for_each_neighbour(k, [&](node_id other) {
    if (found || loads[other] < 2) return;
    found = share_of(loads, other, k);
  });
  return found;
}

/// From the heaviest of all; of several the nearest, of those the one of the lowest number.
std::optional<transfer> pull_from_heaviest(const topology& graph,
                                           const std::vector<load_type>& loads, node_id k,
                                           bool one) {
  std::optional<node_id> best;
  for (node_id other = 0; other < loads.size(); ++other) {
    if (other == k || loads[other] < 2) continue;
    if (!best || loads[other] > loads[*best] ||
        (loads[other] == loads[*best] && graph.distance(k, other) < graph.distance(k, *best))) {
      best = other;
    }
  }
  if (!best) return std::nullopt;
  return one ? transfer{*best, k, 1} : share_of(loads, *best, k);
}

/// One task of a worker drawn at random; as many attempts as the runtime makes.
std::optional<transfer> steal(const std::vector<load_type>& loads, node_id k,
                              std::uint64_t& random) {
  for (std::size_t attempt = 0; attempt < 2 * loads.size(); ++attempt) {
    random = std::rotl(random * 0x9E3779B97F4A7C15 + 1, 29);
    const auto other = static_cast<node_id>(random % loads.size());
    if (other != k && loads[other] >= 2) return transfer{other, k, 1};
  }
  return std::nullopt;
}

bool all_alike(std::span<const double> speeds) {
  return std::all_of(speeds.begin(), speeds.end(),
                     [&](double speed) { return speed == speeds.front(); });
}

}  // namespace

class on_threads::account {
 public:
  account(std::span<const load_type> loads, plan& out)
      : left(loads.begin(), loads.end()), served(left.size()), out_(out) {}

  /// Nothing to do for anybody: a round that sees this plans nothing.
  [[nodiscard]] bool even() const {
    const auto [least, most] = std::minmax_element(left.begin(), left.end());
    return *most - *least <= 1;
  }
  /// Returns whether anything moves.
  bool add(plan& planned) {
    bool moves = false;
    for (phase& one : planned.phases) {
      for (const transfer& t : one) {
        left[t.from] -= t.quanta;
        left[t.to] += t.quanta;
        served[t.to] = true;
        moves = moves || t.quanta > 0;
      }
      out_.phases.push_back(std::move(one));
    }
    return moves;
  }
  /// One transfer per node and phase: each is a phase of its own.
  void add(const transfer& t) {
    left[t.from] -= t.quanta;
    left[t.to] += t.quanta;
    out_.phases.push_back({t});
  }

  std::vector<load_type> left;
  std::vector<bool> served;

 private:
  plan& out_;
};

on_threads::on_threads(const std::string& name, const balancer_options& options,
                       threads_rules rules)
    : name_(name), rules_(rules) {
  if (name == random_stealing) {
    if (!rules.pulls) throw std::invalid_argument("random_stealing moves tasks by pulls alone");
    if (!options.empty()) throw std::invalid_argument("random_stealing has no options");
    return;
  }
  planner_ = make_balancer(name, options);
  about_ = describe_balancer(name);
}

void on_threads::make_plan(const balance_request& request, plan& out) const {
  out.phases.clear();
  account so_far(request.loads, out);
  if (planner_ != nullptr && rules_.rounds && !so_far.even()) {
    balance_request told = request;
    // Of speeds nothing if all are alike, nobody knows them or it has no rule for them.
    if (!rules_.speeds_known || !about_.guarantees.honours_capacities ||
        all_alike(request.capacities)) {
      told.capacities = {};
    }
    if (about_.event_driven) {
      activate(told, so_far);
    } else {
      plan planned;
      planner_->make_plan(told, planned);
      so_far.add(planned);
    }
  }
  // Taking tasks by oneself would break an order.
  if (about_.guarantees.preserves_order || !rules_.pulls) return;
  std::uint64_t random = request.seed | 1;
  for (node_id k = 0; k < so_far.left.size(); ++k) {
    if (request.loads[k] != 0 || so_far.served[k] || so_far.left[k] != 0) continue;
    const std::optional<transfer> t = take(request.graph, so_far.left, k, random);
    if (t) so_far.add(*t);
  }
}

std::optional<transfer> on_threads::take(const topology& graph, const std::vector<load_type>& loads,
                                         node_id k, std::uint64_t& random) const {
  if (steals()) return steal(loads, k, random);
  if (rules_.pull == pull_rule::of_neighbours) return pull(graph, loads, k);
  return pull_from_heaviest(graph, loads, k, rules_.pull == pull_rule::one_of_heaviest);
}

// Those who asked act one after the other, each seeing the loads the earlier ones left. If that
// moves nothing (one that ran dry has nothing to send) all others get their turn, in place of
// pulls.
void on_threads::activate(const balance_request& request, account& so_far) const {
  const auto asked = [&](node_id k) {
    return request.loads[k] == 0 || request.loads[k] > rules_.threshold;
  };
  balance_request told = request;
  told.loads = so_far.left;
  plan planned;
  bool moved = false;
  for (const bool asking : {true, false}) {
    for (node_id k = 0; k < request.graph.nodes(); ++k) {
      if (asked(k) != asking || so_far.even()) continue;
      told.initiator = k;
      planner_->make_plan(told, planned);
      ++told.seed;
      moved = so_far.add(planned) || moved;
    }
    if (moved || !rules_.pulls) return;
  }
}

}  // namespace evencube::simulator
