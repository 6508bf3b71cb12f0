#include "on_threads.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <optional>
#include <stdexcept>

namespace evencube::simulator {
namespace {

/// Pulls from the heaviest node or, if several are the heaviest, from the nearest, as the runtime
/// does. Takes one task, or the amount that the pair rule gives a worker without load. The task
/// that the other worker runs stays.
std::optional<transfer> pull(std::span<const load_type> loads, node_id k, bool one) {
  const auto nodes = static_cast<node_id>(loads.size());
  std::optional<node_id> heaviest;
  for (node_id way = 1; way < std::bit_ceil(nodes); ++way) {
    const node_id other = k ^ way;
    if (other >= nodes || loads[other] < 2) continue;
    if (!heaviest || loads[other] > loads[*heaviest]) heaviest = other;
  }
  if (!heaviest) return std::nullopt;
  const load_type most = loads[*heaviest];
  load_type share = most / 2;
  if (most % 2 != 0 && (share % 2 != 0) == (k > *heaviest)) ++share;
  return transfer{*heaviest, k, one ? 1 : std::min(share, most - 1)};
}

/// Steals one task of a worker drawn at random, with as many attempts as the runtime makes.
std::optional<transfer> steal(std::span<const load_type> loads, node_id k, std::uint64_t random) {
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
      : left(loads.begin(), loads.end()), out_(out) {}

  /// True if the loads are so even that a round plans nothing.
  [[nodiscard]] bool even() const {
    const auto [least, most] = std::minmax_element(left.begin(), left.end());
    return *most - *least <= 1;
  }
  /// Adds the plan to the account. Returns true if anything moves.
  bool add(plan& planned) {
    bool moves = false;
    for (phase& one : planned.phases) {
      for (const transfer& t : one) {
        left[t.from] -= t.quanta;
        left[t.to] += t.quanta;
        moves = moves || t.quanta > 0;
      }
      out_.phases.push_back(std::move(one));
    }
    return moves;
  }

  std::vector<load_type> left;

 private:
  plan& out_;
};

on_threads::on_threads(const std::string& name, const balancer_options& options,
                       threads_rules rules)
    : name_(name), rules_(rules) {
  if (name == random_stealing) {
    if (!rules.pulls) {
      throw std::invalid_argument(
          "pulls off: random_stealing moves tasks by pulls alone; on, or another balancer");
    }
    if (!options.empty()) throw std::invalid_argument("random_stealing has no options");
    return;
  }
  planner_ = make_balancer(name, options);
  about_ = describe_balancer(name);
}

void on_threads::make_plan(const balance_request& request, plan& out) const {
  out.phases.clear();
  if (request.initiator) {
    // A worker that takes tasks by itself would break an order.
    if (about_.guarantees.preserves_order || !rules_.pulls) return;
    if (request.loads[*request.initiator] != 0) return;
    const auto t = take(request.loads, *request.initiator, request.seed | 1);
    if (t) out.phases.push_back({*t});
    return;
  }
  account so_far(request.loads, out);
  if (planner_ != nullptr && !so_far.even()) {
    balance_request told = request;
    // The capacities are left out if all are alike, if they are unknown, or if the balancer has no
    // rule for them.
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
}

load_type on_threads::calls_above(load_type threshold) const noexcept {
  const load_marks own = planner_ != nullptr ? planner_->marks() : load_marks{};
  if (own.high) return *own.high;
  return own.low ? std::numeric_limits<load_type>::max() : threshold;
}

std::optional<transfer> on_threads::take(std::span<const load_type> loads, node_id k,
                                         std::uint64_t seed) const {
  return steals() ? steal(loads, k, seed) : pull(loads, k, rules_.long_tasks);
}

// The nodes that called act one after another, and each sees the loads that the earlier ones left.
// If that moves nothing (a node that ran dry has nothing to send), all others get their turn, in
// place of pulls.
void on_threads::activate(const balance_request& request, account& so_far) const {
  const load_marks own = planner_->marks();
  const auto asked = [&](node_id k) {
    const load_type load = request.loads[k];
    if (own.high || own.low) {
      return load == 0 || (own.high && load > *own.high) || (own.low && load < *own.low);
    }
    return load == 0 || load > rules_.threshold;
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
