/// Compares every balancer that multiplies or divides quanta with a twin in rational numbers,
/// written here from the papers and docs/incomplete-cubes.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include <evencube/balancers/diffusion.hpp>
#include <evencube/balancers/locality.hpp>

#include "rational.hpp"
#include "support.hpp"

namespace evencube {
namespace {

using testing::loads_type;
using testing::rational;

template <typename Value>
Value one_of(std::vector<Value> values) {
  return *rc::gen::elementOf(std::move(values));
}

/// Draws loads up to a few quanta, up to thousands, or as large as a sum of 64 bits allows. The
/// numbers are often such that a part of their differences is whole.
loads_type draw_loads(std::size_t nodes) {
  const auto most =
      one_of<load_type>({3, 12, 60, 1000, 1'000'000'000'000,
                         std::numeric_limits<load_type>::max() / static_cast<load_type>(nodes)});
  const auto multiple = one_of<load_type>({1, 1, 1, 3, 5, 7, 10, 60});
  const load_type top = std::max<load_type>(most / multiple, 1);
  loads_type loads(nodes);
  for (load_type& load : loads) load = *rc::gen::inRange<load_type>(0, top) * multiple;
  return loads;
}

/// A decimal, as text and as a number.
struct decimal {
  std::string text;
  rational value;
};

decimal draw_decimal(std::int64_t most_hundredths) {
  const auto places = *rc::gen::inRange(1, 10);
  std::int64_t power = 1;
  for (int i = 0; i < places; ++i) power *= 10;
  const auto digits = *rc::gen::inRange<std::int64_t>(0, power * most_hundredths / 100 + 1);
  std::string text = std::to_string(power + digits % power).substr(1);
  return {std::to_string(digits / power) + "." + text, rational(digits, power)};
}

/// Capacities as doubles, and the exact numbers they mean: short decimals, or fractions.
struct speeds {
  std::vector<double> given;
  std::vector<rational> exact;
};

speeds draw_speeds(std::size_t nodes) {
  speeds drawn;
  const bool decimals = *rc::gen::arbitrary<bool>();
  const auto power = one_of<std::int64_t>({1, 10, 100, 1'000'000'000});
  for (std::size_t k = 0; k < nodes; ++k) {
    if (decimals) {
      const auto digits = *rc::gen::inRange<std::int64_t>(0, 4 * power + 1);
      drawn.given.push_back(static_cast<double>(digits) / static_cast<double>(power));
      drawn.exact.push_back(rational(digits, power));
    } else {
      const auto below = *rc::gen::inRange<std::int64_t>(1, 13);
      const auto above = *rc::gen::inRange<std::int64_t>(0, 4 * below);
      drawn.given.push_back(static_cast<double>(above) / static_cast<double>(below));
      drawn.exact.push_back(rational(above, below));
    }
  }
  const auto some = *rc::gen::inRange<std::size_t>(0, nodes);
  if (drawn.given[some] == 0.0) {
    drawn.given[some] = 1.5;
    drawn.exact[some] = rational(3, 2);
  }
  return drawn;
}

plan planned(const std::string& name, const balance_request& request,
             const balancer_options& options) {
  plan made;
  make_balancer(name, options)->make_plan(request, made);
  validate_plan(request.graph, request.loads, made);
  return made;
}

// Diffusion -----------------------------------------------------------------------------------

/// One iteration after another. The links come in the order of their lower ends, then of their
/// higher ends.
std::vector<phase> diffused(const topology& graph, loads_type loads, const rational& weight,
                            bool carries, std::size_t iterations, load_type target) {
  std::vector<rational> real(loads.begin(), loads.end());
  // flow and sent quanta of each link
  std::map<std::pair<node_id, node_id>, std::pair<rational, load_type>> links;
  std::vector<phase> phases;
  for (std::size_t i = 0; i < iterations && max_difference(loads) > target; ++i) {
    phase moves;
    bool alive = false;
    loads_type left = loads;
    const std::vector<rational> before = real;
    for (node_id a = 0; a < graph.nodes(); ++a) {
      graph.for_each_neighbour(a, [&](node_id b) {
        if (a > b) return;
        load_type quanta = 0;
        if (carries) {
          auto& [flow, sent] = links[{a, b}];
          const rational now = weight * (before[a] - before[b]);
          real[a] = real[a] - now;
          real[b] = real[b] + now;
          flow = flow + now;
          quanta = flow.rounded() - sent;
          quanta = quanta > 0 ? std::min(quanta, left[a]) : -std::min(-quanta, left[b]);
          sent += quanta;
          alive = alive || quanta != 0 || now * 1000 > rational(1) || now * -1000 > rational(1);
        } else {
          const rational flow = weight * rational(loads[a] - loads[b]);
          quanta = loads[a] > loads[b] ? flow.floor() : -(-flow).floor();
          alive = alive || quanta != 0;
        }
        if (quanta > 0) moves.push_back({a, b, quanta});
        if (quanta < 0) moves.push_back({b, a, -quanta});
        left[quanta > 0 ? a : b] -= std::abs(quanta);
      });
    }
    for (const transfer& t : moves) {
      loads[t.from] -= t.quanta;
      loads[t.to] += t.quanta;
    }
    phases.push_back(moves);
    if (!alive) break;
  }
  while (!phases.empty() && phases.back().empty()) phases.pop_back();
  return phases;
}

topology draw_network() {
  return topology::parse(one_of<std::string>(
      {"hypercube:2", "hypercube:3", "hypercube:5", "mesh:3x4", "mesh:2x3", "ring:6", "ring:4",
       "ring:5", "linear:5", "linear:2", "complete:2", "complete:6", "star:5", "torus:3x3",
       "fibonacci-composite:16", "cube:6", "hypercube:1"}));
}

/// The optimal weights by the spectra of the networks.
rational optimal_on(const topology& graph) {
  const std::map<std::string, rational> known{
      {"hypercube:1", rational(1, 2)}, {"hypercube:2", rational(1, 3)},
      {"hypercube:3", rational(1, 4)}, {"hypercube:5", rational(1, 6)},
      {"mesh:3x4", rational(1, 4)},    {"mesh:2x3", rational(1, 3)},
      {"ring:6", rational(2, 5)},      {"ring:4", rational(1, 3)},
      {"ring:5", rational(2, 5)},      {"linear:5", rational(1, 2)},
      {"linear:2", rational(1, 2)},    {"complete:2", rational(1, 2)},
      {"complete:6", rational(1, 6)},  {"star:5", rational(1, 4)},
      {"torus:3x3", rational(2, 9)},   {"fibonacci-composite:16", rational(1, 6)},
      {"cube:6", rational(1, 3)}};
  return known.at(graph.to_string());
}

RC_GTEST_PROP(exact_plans, of_diffusion, ()) {
  const auto graph = draw_network();
  const auto loads = draw_loads(graph.nodes());
  const bool carries = *rc::gen::arbitrary<bool>();
  const auto iterations = *rc::gen::inRange<std::size_t>(1, 9);
  balancer_options options{{"form", carries ? "carry" : "floor"},
                           {"iterations", std::to_string(iterations)},
                           {"target", "0"}};
  rational weight = optimal_on(graph);
  if (*rc::gen::arbitrary<bool>()) {
    const auto drawn = draw_decimal(100 / graph.max_degree());
    RC_PRE(drawn.value > rational(0));
    weight = drawn.value;
    options["weight"] = drawn.text;
    // The carried form cannot hold nine digits to the power of nine iterations.
    RC_PRE(!carries);
  }
  if (carries) RC_PRE(max_difference(loads) <= 1'000'000'000'000);
  const plan made = planned("diffusion", {.graph = graph, .loads = loads}, options);
  RC_ASSERT(made.phases == diffused(graph, loads, weight, carries, iterations, 0));
}

TEST(exact_plans, of_diffusion_with_weights_of_its_own) {
  // The nearest double to a third counts as a third.
  const auto graph = topology::linear(3);
  plan out;
  const loads_type loads{3, 0, 6};
  make_weighted_diffusion({{0, 1, 1.0 / 3}, {1, 2, 1.0 / 3}}, diffusion_form::floor, 1, 0)
      ->make_plan({.graph = graph, .loads = loads}, out);
  EXPECT_THAT(out.phases,
              ::testing::ElementsAre(::testing::ElementsAre(transfer{0, 1, 1}, transfer{2, 1, 2})));
}

// The strategies of Loh et al. ------------------------------------------------------------------

RC_GTEST_PROP(exact_plans, of_gradient, ()) {
  const auto graph = draw_network();
  const auto loads = draw_loads(graph.nodes());
  const auto p = static_cast<node_id>(*rc::gen::inRange<int>(0, static_cast<int>(graph.nodes())));
  const auto portion = draw_decimal(100);
  const load_type low = loads[*rc::gen::inRange<std::size_t>(0, loads.size())];
  const load_type high = loads[*rc::gen::inRange<std::size_t>(0, loads.size())];
  const plan made = planned(
      "gradient", {.graph = graph, .loads = loads, .initiator = p},
      {{"low", std::to_string(low)}, {"high", std::to_string(high)}, {"portion", portion.text}});
  const bool light_exists =
      std::any_of(loads.begin(), loads.end(), [&](load_type load) { return load < low; });
  if (loads[p] <= high || loads[p] < low || !light_exists) {
    RC_ASSERT(made.phases.empty());
    return;
  }
  const rational part = portion.value * rational(loads[p] - high);
  RC_ASSERT(task_hops(made) == std::max<load_type>(1, part.ceiling()));
}

/// Distances to the nearest light node by the paper's own rule, repeated until nothing changes.
std::vector<node_id> proximities(const topology& graph, const loads_type& loads, load_type low) {
  const node_id most = graph.diameter();
  std::vector<node_id> proximity(graph.nodes(), most);
  for (bool changed = true; changed;) {
    changed = false;
    for (node_id k = 0; k < graph.nodes(); ++k) {
      node_id now = most;
      graph.for_each_neighbour(k,
                               [&](node_id other) { now = std::min(now, proximity[other] + 1); });
      if (loads[k] < low) now = 0;
      changed = changed || now != proximity[k];
      proximity[k] = now;
    }
  }
  return proximity;
}

// Many activations in sequence, so that light nodes come and go.
RC_GTEST_PROP(exact_plans, of_gradient_over_whole_sweeps, ()) {
  const auto graph = draw_network();
  auto loads = draw_loads(graph.nodes());
  const auto portion = draw_decimal(100);
  const load_type low = loads[*rc::gen::inRange<std::size_t>(0, loads.size())];
  const load_type high = loads[*rc::gen::inRange<std::size_t>(0, loads.size())];
  const auto sweeps = *rc::gen::inRange(1, 5);
  const plan made = planned("gradient", {.graph = graph, .loads = loads},
                            {{"low", std::to_string(low)},
                             {"high", std::to_string(high)},
                             {"portion", portion.text},
                             {"sweeps", std::to_string(sweeps)}});
  std::vector<phase> expected;
  for (int i = 0; i < sweeps; ++i) {
    for (node_id p = 0; p < graph.nodes(); ++p) {
      if (loads[p] <= high || loads[p] < low) continue;
      const auto proximity = proximities(graph, loads, low);
      if (std::all_of(proximity.begin(), proximity.end(),
                      [&](node_id d) { return d == graph.diameter(); })) {
        continue;
      }
      node_id best = graph.nodes();
      for (node_id k = 0; k < graph.nodes(); ++k) {
        if (!graph.adjacent(p, k)) continue;
        if (best == graph.nodes() || proximity[k] < proximity[best]) best = k;
      }
      const rational part = portion.value * rational(loads[p] - high);
      const load_type quanta = std::max<load_type>(1, part.ceiling());
      expected.push_back({{p, best, quanta}});
      loads[p] -= quanta;
      loads[best] += quanta;
    }
  }
  RC_ASSERT(made.phases == expected);
}

RC_GTEST_PROP(exact_plans, of_sender_and_receiver_initiated, ()) {
  const auto graph = draw_network();
  const auto loads = draw_loads(graph.nodes());
  const auto p = static_cast<node_id>(*rc::gen::inRange<int>(0, static_cast<int>(graph.nodes())));
  const bool sends = *rc::gen::arbitrary<bool>();
  const auto rounding = one_of<std::string>({"ceiling", "nearest", "floor"});
  const load_type mark = loads[p] + (sends ? -1 : 1);
  RC_PRE(mark >= 0);
  const plan made =
      planned(sends ? "sender_initiated" : "receiver_initiated",
              {.graph = graph, .loads = loads, .initiator = p},
              {{sends ? "high" : "low", std::to_string(mark)}, {"rounding", rounding}});
  rational sum = loads[p];
  graph.for_each_neighbour(p, [&](node_id k) { sum = sum + rational(loads[k]); });
  const rational average = sum / rational(std::int64_t{graph.degree(p)} + 1);
  const auto beyond = [&](node_id k) {
    const rational gap = sends ? average - rational(loads[k]) : rational(loads[k]) - average;
    return gap > rational(0) ? gap : rational(0);
  };
  rational all;
  graph.for_each_neighbour(p, [&](node_id k) { all = all + beyond(k); });
  const rational own = sends ? rational(loads[p]) - average : average - rational(loads[p]);
  phase expected;
  load_type left = loads[p];
  graph.for_each_neighbour(p, [&](node_id k) {
    if (own <= rational(0) || all == rational(0)) return;
    const rational share = own * beyond(k) / all;
    const load_type wanted = rounding == "ceiling"   ? share.ceiling()
                             : rounding == "nearest" ? share.rounded()
                                                     : share.floor();
    const load_type quanta = std::min(wanted, sends ? left : loads[k]);
    if (quanta == 0) return;
    if (sends) left -= quanta;
    expected.push_back(sends ? transfer{p, k, quanta} : transfer{k, p, quanta});
  });
  std::vector<phase> phases;
  if (!expected.empty()) phases.push_back(expected);
  RC_ASSERT(made.phases == phases);
}

RC_GTEST_PROP(exact_plans, of_dispatcher, ()) {
  const auto graph = topology::complete(*rc::gen::inRange<std::uint64_t>(2, 8));
  const auto loads = draw_loads(graph.nodes());
  const auto portion = draw_decimal(50);
  const plan made = planned("dispatcher", {.graph = graph, .loads = loads, .initiator = 0},
                            {{"low", std::to_string(loads[0] + 1)}, {"portion", portion.text}});
  const rational gap = *std::max_element(loads.begin(), loads.end()) - loads[0];
  RC_ASSERT(task_hops(made) == (gap * portion.value).floor());
}

RC_GTEST_PROP(exact_plans, of_prediction, ()) {
  const auto graph = topology::complete(*rc::gen::inRange<std::uint64_t>(2, 8));
  const auto n = graph.nodes();
  const auto loads = draw_loads(n);
  const auto p = static_cast<node_id>(*rc::gen::inRange<int>(0, static_cast<int>(n)));
  const auto portion = draw_decimal(100);
  const bool measured = *rc::gen::arbitrary<bool>();
  const bool predicted = *rc::gen::arbitrary<bool>();
  // The measurements of a node: an interval over its departures, none of them infinite.
  std::vector<double> given;
  std::vector<rational> index;
  rational known;
  std::int64_t number = 0;
  std::vector<bool> infinite(n, false);
  std::vector<rational> times(n);
  for (node_id k = 0; measured && k < n; ++k) {
    const auto departures = *rc::gen::inRange<std::int64_t>(0, 21);
    infinite[k] = departures == 0;
    given.push_back(infinite[k] ? std::numeric_limits<double>::infinity()
                                : 10.0 / static_cast<double>(departures));
    if (infinite[k]) continue;
    times[k] = rational(10, departures);
    known = known + times[k];
    ++number;
  }
  rational sum;
  std::int64_t counted = 0;
  for (node_id k = 0; k < n; ++k) {
    if (!measured) {
      index.push_back(loads[k]);
    } else if (predicted) {
      // A node without measurements counts as average.
      const rational mean = number == 0 ? rational(1) : known / rational(number);
      index.push_back(rational(loads[k]) * (infinite[k] ? mean : times[k]));
      infinite[k] = false;
    } else {
      index.push_back(loads[k] == 0 ? rational(0) : times[k]);
      infinite[k] = infinite[k] && loads[k] != 0;
    }
    if (infinite[k]) continue;
    sum = sum + index[k];
    ++counted;
  }
  const plan made = planned(
      "prediction", {.graph = graph, .loads = loads, .initiator = p, .service_times = given},
      {{"portion", portion.text}, {"index", predicted ? "predicted" : "printed"}});
  load_type expected = 0;
  node_id to = p;
  if (counted > 0) {
    const rational mean = sum / rational(counted);
    for (node_id k = 0; k < n; ++k) {
      if (infinite[k] || index[k] >= mean) continue;
      if (to == p || index[k] < index[to]) to = k;
    }
    if (to != p && infinite[p]) {
      expected = (portion.value * rational(loads[p])).floor();
    } else if (to != p && index[p] > mean) {
      expected = (portion.value * rational(loads[p]) * (index[p] - mean) / index[p]).floor();
    }
  }
  const std::vector<phase> phases =
      expected == 0 ? std::vector<phase>{} : std::vector<phase>{{{p, to, expected}}};
  RC_ASSERT(made.phases == phases);
}

// Cubes of any size, unequal speeds -------------------------------------------------------------

enum class tie { larger, lower, odd };

/// sum * first / (first + second), rounded to nearest; `rule` decides ties.
load_type nearest_share(load_type sum, const rational& first, const rational& second, tie rule,
                        bool first_has_more) {
  const rational share = rational(sum) * first / (first + second);
  const load_type whole = share.floor();
  const rational rest = share - rational(whole);
  if (rest != rational(1, 2)) return rest > rational(1, 2) ? whole + 1 : whole;
  const bool up = rule == tie::odd ? whole % 2 == 0 : rule == tie::larger ? first_has_more : true;
  return up ? whole + 1 : whole;
}

struct swept {
  loads_type loads;  // by node of the folded cube
  loads_type base;   // by node of the whole cube
};

/// The sweep over the first `phases` dimensions above the part that is in proportion already.
swept sweep(const loads_type& loads, const std::vector<rational>& speeds, unsigned phases,
            tie rule) {
  const std::size_t n = loads.size();
  std::size_t low = 1;
  while (low * 2 <= n) low *= 2;
  rational least;
  bool any = false;
  for (std::size_t k = 0; k < n; ++k) {
    if (speeds[k] == rational(0)) continue;
    const rational level = rational(loads[k]) / speeds[k];
    if (!any || level < least) least = level;
    any = true;
  }
  swept made{loads_type(low), loads_type(n)};
  std::vector<rational> together(low);
  for (std::size_t k = 0; k < n; ++k) {
    made.base[k] = (least * speeds[k]).floor();
    made.loads[k % low] += loads[k] - made.base[k];
    together[k % low] = together[k % low] + speeds[k];
  }
  for (unsigned i = 0; i < phases; ++i) {
    const std::size_t bit = std::size_t{1} << i;
    const std::size_t mask = 2 * bit - 1;
    for (std::size_t a = 0; a < low; ++a) {
      if ((a & bit) != 0) continue;
      const std::size_t b = a | bit;
      rational of_a;
      rational of_b;
      for (std::size_t k = 0; k < low; ++k) {
        if ((k & mask) == (a & mask)) of_a = of_a + together[k];
        if ((k & mask) == (b & mask)) of_b = of_b + together[k];
      }
      if (of_a + of_b == rational(0)) continue;
      const load_type la = made.loads[a];
      const load_type lb = made.loads[b];
      load_type kept = nearest_share(la + lb, of_a, of_b, rule, la > lb);
      if (rule == tie::lower) {
        const rational off = rational(la) - rational(la + lb) * of_a / (of_a + of_b);
        if (off <= rational(1, 2) && off >= rational(-1, 2)) kept = la;
      }
      made.loads[a] = kept;
      made.loads[b] = la + lb - kept;
    }
  }
  return made;
}

topology draw_cube() { return topology::cube(*rc::gen::inRange<std::uint64_t>(1, 20)); }

RC_GTEST_PROP(exact_plans, of_dimension_exchange_between_unequal_nodes, ()) {
  const auto graph = draw_cube();
  const std::size_t n = graph.nodes();
  const auto loads = draw_loads(n);
  const auto speed = draw_speeds(n);
  const auto rule = one_of<tie>({tie::larger, tie::lower, tie::odd});
  RC_PRE(!equal_capacities(speed.given));
  balancer_options options;
  if (rule == tie::lower) options["odd"] = "lower-if-moving";
  const plan made = planned(rule == tie::odd ? "oem" : "dem",
                            {.graph = graph, .loads = loads, .capacities = speed.given}, options);
  std::size_t low = 1;
  unsigned dimensions = 0;
  for (; low * 2 <= n; low *= 2) ++dimensions;
  const swept twin = sweep(loads, speed.exact, dimensions, rule);
  loads_type expected = twin.base;
  for (std::size_t k = 0; k < low; ++k) {
    const load_type above = twin.loads[k];
    if (k + low >= n) {
      expected[k] += above;
    } else if (speed.exact[k] + speed.exact[k + low] != rational(0)) {
      const load_type first = nearest_share(above, speed.exact[k], speed.exact[k + low], rule,
                                            loads[k] > loads[k + low]);
      expected[k] += first;
      expected[k + low] += above - first;
    }
  }
  RC_ASSERT(final_loads(made, loads) == expected);
}

/// Rounds shares down, and gives the rest to members that lost something by rounding: to the lowest
/// ids, or by halving.
void share_out(load_type total, const std::vector<std::size_t>& members,
               const std::vector<rational>& speeds, bool halving, loads_type& quotas) {
  rational sum;
  for (const std::size_t k : members) sum = sum + speeds[k];
  std::vector<std::size_t> owed;
  load_type extra = total;
  for (const std::size_t k : members) {
    const rational share = sum == rational(0) ? rational(0) : rational(total) * speeds[k] / sum;
    quotas[k] = share.floor();
    extra -= quotas[k];
    if (share != rational(quotas[k])) owed.push_back(k);
  }
  if (!halving) {
    for (load_type i = 0; i < extra; ++i) ++quotas[owed[static_cast<std::size_t>(i)]];
    return;
  }
  const std::function<void(std::size_t, std::size_t, load_type)> halve =
      [&](std::size_t first, std::size_t count, load_type units) {
        if (units == 0) return;
        if (count == 1) {
          quotas[members[first]] += units;
          return;
        }
        const std::size_t middle = first + count / 2;
        if (middle >= members.size()) return halve(first, count / 2, units);
        const std::size_t end = std::min(first + count, members.size());
        const auto owing = [&](std::size_t from, std::size_t to) {
          return std::count_if(owed.begin(), owed.end(), [&](std::size_t k) {
            const auto at = std::find(members.begin(), members.end(), k) - members.begin();
            return at >= static_cast<std::ptrdiff_t>(from) && at < static_cast<std::ptrdiff_t>(to);
          });
        };
        const load_type part = units * owing(first, middle) / owing(first, end);
        halve(first, count / 2, part);
        halve(middle, count / 2, units - part);
      };
  std::size_t span = 1;
  while (span < members.size()) span *= 2;
  halve(0, span, extra);
}

RC_GTEST_PROP(exact_plans, of_cube_walking_and_the_hybrid_between_unequal_nodes, ()) {
  const auto graph = draw_cube();
  const std::size_t n = graph.nodes();
  const auto loads = draw_loads(n);
  const auto speed = draw_speeds(n);
  RC_PRE(!equal_capacities(speed.given));
  const bool halving = *rc::gen::arbitrary<bool>();
  const auto wanted = *rc::gen::inRange<unsigned>(0, 4);
  balancer_options options{{"quota", halving ? "halving" : "first"}};
  if (wanted > 0) options["exchanged"] = std::to_string(wanted);
  const plan made = planned(wanted > 0 ? "hybrid" : "cwa",
                            {.graph = graph, .loads = loads, .capacities = speed.given}, options);
  std::size_t low = 1;
  unsigned dimensions = 0;
  for (; low * 2 <= n; low *= 2) ++dimensions;
  const unsigned exchanged = std::min(wanted, dimensions);
  loads_type held(low);
  if (exchanged > 0) {
    const swept twin = sweep(loads, speed.exact, exchanged, tie::odd);
    held = twin.loads;
    for (std::size_t k = 0; k < n; ++k) held[k % low] += twin.base[k];
  } else {
    for (std::size_t k = 0; k < n; ++k) held[k % low] += loads[k];
  }
  loads_type expected(n);
  const std::size_t classes = std::size_t{1} << exchanged;
  for (std::size_t c = 0; c < classes; ++c) {
    std::vector<std::size_t> members;
    load_type total = 0;
    for (std::size_t k = c; k < n; k += classes) members.push_back(k);
    for (std::size_t k = c; k < low; k += classes) total += held[k];
    share_out(total, members, speed.exact, halving, expected);
  }
  RC_ASSERT(final_loads(made, loads) == expected);
}

RC_GTEST_PROP(exact_plans, of_locality_between_unequal_nodes, ()) {
  const auto n = *rc::gen::inRange<std::size_t>(1, 12);
  const auto total = total_load(draw_loads(n));
  const auto speed = draw_speeds(n);
  RC_PRE(!equal_capacities(speed.given));
  rational sum;
  for (const rational& s : speed.exact) sum = sum + s;
  loads_type expected;
  rational part;
  for (std::size_t i = 0; i < n; ++i) {
    expected.push_back((rational(total) * part / sum).floor());
    part = part + speed.exact[i];
  }
  expected.push_back(total);
  RC_ASSERT(block_starts(total, n, speed.given) == expected);
}

RC_GTEST_PROP(exact_plans, of_optimal_between_unequal_nodes, ()) {
  const auto graph = draw_network();
  const auto loads = draw_loads(graph.nodes());
  const auto speed = draw_speeds(graph.nodes());
  RC_PRE(!equal_capacities(speed.given));
  const plan made =
      planned("optimal", {.graph = graph, .loads = loads, .capacities = speed.given}, {});
  rational sum;
  for (const rational& s : speed.exact) sum = sum + s;
  const auto after = final_loads(made, loads);
  for (std::size_t k = 0; k < after.size(); ++k) {
    const rational share = rational(total_load(loads)) * speed.exact[k] / sum;
    RC_ASSERT(after[k] >= share.floor());
    RC_ASSERT(after[k] <= share.ceiling());
  }
}

TEST(exact_plans, take_any_capacities) {
  // No common unit of a hundred bits holds these proportions: the smallest capacities count as one
  // unit.
  const auto graph = topology::hypercube(2);
  const std::vector<double> speeds{1e-300, 3e300, 0.1 + 0.2, 1e-17};
  const loads_type loads{100, 7, 900, std::numeric_limits<load_type>::max() / 2};
  for (const char* name : {"dem", "oem", "cwa", "hybrid", "locality", "optimal"}) {
    const auto after = testing::balanced(name, graph, loads, {}, speeds);
    EXPECT_GE(after[1], total_load(loads) - 1) << name;
  }
}

}  // namespace
}  // namespace evencube
