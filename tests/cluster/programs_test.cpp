// Three kinds of programs that clusters are for, on 1 to 16 ranks under a balancer that moves what
// it may: a stencil whose tasks need the data of their ranks, a search whose tasks spawn tasks, and
// a master that hands out work as results come.

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "cluster/support.hpp"

namespace evencube {
namespace {

class programs_on : public testing::TestWithParam<unsigned> {
 protected:
  void run(const std::function<void(cluster&)>& program) {
    for (const std::uint64_t seed : {1U, 2U}) {
      test::on_ranks(GetParam(), {.seed = seed, .most_delay = 4}, test::small_ranks("oem"),
                     program);
    }
  }
};

/// The value at one end of a rank's cells, for its neighbour there.
struct edge {
  unsigned side = 0;  ///< of the neighbour: 0 is its left side
  unsigned step = 0;
  double value = 0;
};

void step_of(std::vector<double>& cells) {
  std::vector<double> next = cells;
  for (std::size_t i = 1; i + 1 < cells.size(); ++i) {
    next[i] = 0.5 * cells[i] + 0.25 * (cells[i - 1] + cells[i + 1]);
  }
  cells.swap(next);
}

TEST_P(programs_on, compute_a_stencil_where_its_cells_are) {
  constexpr std::size_t all = 160;
  constexpr unsigned steps = 20;
  std::vector<double> serial(all + 2, 0);
  for (std::size_t i = 1; i <= all; ++i) serial[i] = static_cast<double>(i * i % 17);
  const std::vector<double> first = serial;
  for (unsigned step = 0; step < steps; ++step) step_of(serial);

  run([&](cluster& world) {
    const std::size_t begin = all * world.rank() / world.size();
    const std::size_t end = all * (world.rank() + 1) / world.size();
    // With a cell on each side that belongs to the neighbour.
    std::vector<double> own(first.begin() + static_cast<std::ptrdiff_t>(begin),
                            first.begin() + static_cast<std::ptrdiff_t>(end + 2));
    std::array<std::array<double, 2>, 2> came{};  // by the parity of the step, and the side
    auto put = world.task<edge, void>(
        "put", [&](const edge& one) { came[one.step % 2][one.side] = one.value; });
    for (unsigned step = 0; step < steps; ++step) {
      cluster_group exchange(world);
      const unsigned rank = world.rank();
      if (rank > 0) {
        exchange.spawn(put, {1, step, own[1]}, {.rank = rank - 1, .stays = true});
      }
      if (rank + 1 < world.size()) {
        exchange.spawn(put, {0, step, own[own.size() - 2]}, {.rank = rank + 1, .stays = true});
      }
      exchange.wait();
      own.front() = came[step % 2][0];
      own.back() = came[step % 2][1];
      step_of(own);
    }
    for (std::size_t i = begin; i < end; ++i) {
      ASSERT_EQ(own[i - begin + 1], serial[i + 1]) << "cell " << i;
    }
  });
}

/// The columns of the queens in the first rows.
using board = std::vector<int>;

bool may_stand(const board& queens, int column) {
  for (std::size_t row = 0; row < queens.size(); ++row) {
    const auto rows = static_cast<int>(queens.size() - row);
    if (queens[row] == column || std::abs(queens[row] - column) == rows) return false;
  }
  return true;
}

TEST_P(programs_on, find_all_places_of_queens) {
  constexpr int size = 6;
  run([&](cluster& world) {
    cluster_task<board, std::uint64_t> place;
    place = world.task<board, std::uint64_t>(
        "place", [&](cluster_context& here, const board& queens) -> std::uint64_t {
          if (queens.size() == size) return 1;
          for (int column = 0; column < size; ++column) {
            if (!may_stand(queens, column)) continue;
            board next = queens;
            next.push_back(column);
            here.spawn(place, std::move(next));
          }
          return 0;
        });
    cluster_group search(world);
    if (world.rank() == 0) search.spawn(place, {});
    std::uint64_t found = 0;
    search.wait([&](const board&, std::uint64_t one) { found += one; });
    const std::vector<std::uint64_t> by_rank = world.gather(found);
    EXPECT_EQ(std::accumulate(by_rank.begin(), by_rank.end(), std::uint64_t{0}), 4U);
  });
}

TEST_P(programs_on, hand_out_work_as_results_come) {
  constexpr int pieces = 60;
  constexpr int at_once = 5;
  run([&](cluster& world) {
    using numbers = std::vector<std::uint32_t>;
    auto sum = world.task<numbers, std::uint64_t>("sum", [](const numbers& all) {
      return std::accumulate(all.begin(), all.end(), std::uint64_t{0});
    });
    cluster_group work(world);
    int next = 0;
    const auto hand_out = [&] {
      if (world.rank() != 0 || next == pieces) return;
      ++next;
      work.spawn(sum, numbers(1000, static_cast<std::uint32_t>(next)));
    };
    for (int i = 0; i < at_once; ++i) hand_out();
    std::uint64_t whole = 0;
    work.wait([&](const numbers&, std::uint64_t one) {
      whole += one;
      hand_out();
    });
    EXPECT_EQ(whole, world.rank() == 0 ? 1000U * pieces * (pieces + 1) / 2 : 0U);
  });
}

INSTANTIATE_TEST_SUITE_P(ranks, programs_on, testing::Values(1U, 2U, 3U, 4U, 8U, 16U));

// A cluster of two nodes that the launcher fills in turn.
TEST(programs, run_on_ranks_that_are_numbered_node_by_node) {
  const local_network::options network{.seed = 3, .node_of = {0, 1, 0, 1, 0, 1}};
  local_network between(6, network);
  const auto moved = between.at(2);
  EXPECT_EQ(moved->rank(), 1U);
  EXPECT_EQ(between.at(3)->rank(), 4U);
  EXPECT_THROW(local_network(5, network), std::invalid_argument);
  test::on_ranks(6, network, test::small_ranks("lifelines"), [](cluster& world) {
    auto where = world.task<unsigned, unsigned>(
        "where", [](cluster_context& here, unsigned) { return here.rank(); });
    cluster_group jobs(world);
    for (unsigned k = 0; k < 6; ++k) jobs.spawn(where, k, {.rank = k, .stays = true});
    jobs.wait([](unsigned sent, unsigned&& ran) { EXPECT_EQ(ran, sent); });
  });
}

}  // namespace
}  // namespace evencube
