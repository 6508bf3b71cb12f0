#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <numeric>
#include <set>
#include <stdexcept>

#include <evencube/balancers/locality.hpp>

#include "support.hpp"

namespace evencube {
namespace {

using ::testing::ElementsAre;
using testing::loads_type;

TEST(locality_line, is_a_hamiltonian_path) {
  std::vector<std::string> networks{"hypercube:6", "mesh:4x5",   "torus:3x4", "ring:7",
                                    "linear:5",    "complete:6", "star:3",    "star:2"};
  for (int n = 1; n <= 70; ++n) networks.push_back("cube:" + std::to_string(n));
  for (int n = 1; n <= 14; ++n) networks.push_back("fibonacci:" + std::to_string(n));
  for (const auto& network : networks) {
    const auto graph = topology::parse(network);
    const auto line = locality_line(graph);
    ASSERT_EQ(line.size(), graph.nodes()) << network;
    ASSERT_EQ(std::set<node_id>(line.begin(), line.end()).size(), line.size()) << network;
    for (std::size_t p = 1; p < line.size(); ++p) {
      ASSERT_TRUE(graph.adjacent(line[p - 1], line[p])) << network << " position " << p;
    }
  }
  EXPECT_FALSE(has_locality_line(topology::star(4)));
  EXPECT_THROW(static_cast<void>(locality_line(topology::star(4))), std::invalid_argument);
}

TEST(shift, packets_by_hand) {
  // T = 8, blocks of 2: items 0..5 on position 0, none on 1, 6 on 2, 7 on 3.
  EXPECT_THAT(shift_packets(loads_type{6, 0, 1, 1}),
              ElementsAre(item_packet{0, 1, 2, 2, 2}, item_packet{0, 2, 4, 4, 2},
                          item_packet{2, 3, 6, 0, 1}));
  const auto distance = max_shift(loads_type{6, 0, 1, 1});
  EXPECT_EQ(distance.right, 2U);
  EXPECT_EQ(distance.left, 0U);
  EXPECT_THAT(block_starts(10, 4), ElementsAre(0, 3, 6, 8, 10));
  EXPECT_THAT(block_starts(2, 4), ElementsAre(0, 1, 2, 2, 2));
  EXPECT_TRUE(shift_packets(loads_type{0, 0, 0}).empty());
}

TEST(shift, distances_agree_with_the_prefix_sums) {
  // Rshift_k = ceil(V_(k+1) / mean), Lshift_k = ceil(-V_k / mean) for X_k > 0 (integer mean).
  std::mt19937_64 random(31);
  for (int round = 0; round < 500; ++round) {
    const std::size_t n = 2 + random() % 9;
    auto loads = testing::random_loads(random, n, 12);
    const auto count = static_cast<load_type>(n);
    const load_type rest = total_load(loads) % count;
    loads[random() % n] += (count - rest) % count;
    const load_type mean = total_load(loads) / count;
    if (mean == 0) continue;
    const auto ceiling = [&](load_type v) { return v > 0 ? (v + mean - 1) / mean : -(-v / mean); };
    load_type right = 0;
    load_type left = 0;
    load_type prefix = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const load_type before = prefix - static_cast<load_type>(k) * mean;
      prefix += loads[k];
      const load_type past = prefix - static_cast<load_type>(k + 1) * mean;
      if (loads[k] == 0) continue;
      right = std::max(right, ceiling(past));
      left = std::max(left, ceiling(-before));
    }
    const auto found = max_shift(loads);
    ASSERT_EQ(static_cast<load_type>(found.right), right);
    ASSERT_EQ(static_cast<load_type>(found.left), left);
  }
}

/// Items by position before the shift.
std::vector<std::set<load_type>> items_of(const loads_type& loads) {
  std::vector<std::set<load_type>> held(loads.size());
  load_type next = 0;
  for (std::size_t k = 0; k < loads.size(); ++k) {
    for (load_type i = 0; i < loads[k]; ++i) held[k].insert(next++);
  }
  return held;
}

TEST(shift, three_approaches_leave_the_same_ordered_blocks) {
  std::mt19937_64 random(32);
  for (int round = 0; round < 300; ++round) {
    const std::size_t n = 1 + random() % 10;
    const auto loads = testing::random_loads(random, n, random() % 2 == 0 ? 3 : 20);
    const auto starts = block_starts(total_load(loads), n);
    for (const auto how : {movement_approach::concatenated, movement_approach::counted,
                           movement_approach::by_distance}) {
      auto held = items_of(loads);
      const auto moved = move_packets(how, loads);
      for (const auto& step : moved.steps) {
        std::set<std::pair<std::size_t, std::size_t>> links;
        for (const auto& p : step) {
          if (how == movement_approach::by_distance) {
            ASSERT_TRUE(links.emplace(p.from, p.to).second) << "two packets on one link";
          }
          for (load_type i = 0; i < p.count; ++i) ASSERT_EQ(held[p.from].erase(p.first + i), 1U);
        }
        for (const auto& p : step) {
          for (load_type i = 0; i < p.count; ++i) held[p.to].insert(p.first + i);
        }
      }
      for (std::size_t k = 0; k < n; ++k) {
        ASSERT_EQ(static_cast<load_type>(held[k].size()), starts[k + 1] - starts[k]);
        if (!held[k].empty()) {
          ASSERT_EQ(*held[k].begin(), starts[k]);
          ASSERT_EQ(*held[k].rbegin(), starts[k + 1] - 1);
        }
      }
    }
  }
}

TEST(shift, costs_of_the_approaches) {
  // Position 0 sends 2 items to 1 and 2 to 2; position 2 sends 1 to 3.
  const loads_type loads{6, 0, 1, 1};
  const auto one = move_packets(movement_approach::concatenated, loads);
  EXPECT_EQ(one.cost.startups, 2);  // Max_R
  EXPECT_EQ(one.cost.items, 4 + 2);
  const auto two = move_packets(movement_approach::counted, loads);
  EXPECT_EQ(two.cost.startups, 2 + 2);  // log2 n of the vector sum, two sends of position 0
  EXPECT_EQ(two.cost.items, 2 * 4 + 4);
  const auto three = move_packets(movement_approach::by_distance, loads);
  EXPECT_EQ(three.cost.startups, 2 + 1);
  EXPECT_EQ(three.cost.items, 2 * 2 + 2);
}

TEST(locality, moves_by_the_steps_of_the_papers_approaches) {
  // Position 0 sends 2 items to 1 and 2 to 2; position 2 sends 1 to 3.
  const auto graph = topology::parse("linear:4");
  const auto phases = [&](const char* movement) {
    return testing::plan_for("locality", graph, {6, 0, 1, 1}, {{"movement", movement}}).phases;
  };
  const std::vector<phase> concatenated{{{0, 1, 4}, {2, 3, 1}}, {{1, 2, 2}}};
  EXPECT_EQ(phases("concatenated"), concatenated);
  const std::vector<phase> by_distance{{{0, 1, 2}}, {{1, 2, 2}}, {{0, 1, 2}, {2, 3, 1}}};
  EXPECT_EQ(phases("by-distance"), by_distance);
}

TEST(locality, refuses_to_list_too_many_hops) {
  const auto graph = topology::parse("linear:4096");
  loads_type loads(graph.nodes());
  loads[0] = static_cast<load_type>(graph.nodes());
  EXPECT_NO_THROW(static_cast<void>(testing::plan_for("locality", graph, loads)));
  for (const char* movement : {"concatenated", "by-distance"}) {
    EXPECT_THROW(
        static_cast<void>(testing::plan_for("locality", graph, loads, {{"movement", movement}})),
        std::invalid_argument);
  }
}

TEST(locality, real_queues_keep_their_order) {
  std::mt19937_64 random(33);
  for (const char* network : {"hypercube:3", "cube:6", "mesh:3x4", "ring:5", "fibonacci:6"}) {
    const auto graph = topology::parse(network);
    const auto line = locality_line(graph);
    std::vector<std::size_t> position(line.size());
    for (std::size_t p = 0; p < line.size(); ++p) position[line[p]] = p;
    for (int round = 0; round < 60; ++round) {
      const char* const movements[] = {"together", "concatenated", "by-distance"};
      const auto loads = testing::random_loads(random, graph.nodes(), 15);
      std::vector<std::deque<int>> queues(graph.nodes());
      int next = 0;
      for (const node_id k : line) {
        for (load_type i = 0; i < loads[k]; ++i) queues[k].push_back(next++);
      }
      const plan made =
          testing::plan_for("locality", graph, loads, {{"movement", movements[round % 3]}});
      validate_plan(graph, loads, made);
      for (const auto& moves : made.phases) {
        auto after = queues;
        for (const transfer& t : moves) {
          const bool right = position[t.to] > position[t.from];
          for (load_type i = 0; i < t.quanta; ++i) {
            right ? after[t.from].pop_back() : after[t.from].pop_front();
          }
        }
        for (const transfer& t : moves) {
          const auto& source = queues[t.from];
          const auto count = static_cast<std::ptrdiff_t>(t.quanta);
          if (position[t.to] > position[t.from]) {
            after[t.to].insert(after[t.to].begin(), source.end() - count, source.end());
          } else {
            after[t.to].insert(after[t.to].end(), source.begin(), source.begin() + count);
          }
        }
        queues = std::move(after);
      }
      int expected = 0;
      for (const node_id k : line) {
        for (const int item : queues[k]) ASSERT_EQ(item, expected++);
      }
    }
  }
}

}  // namespace
}  // namespace evencube
