// Tasks that wait only for futures made before them used to leave three or more workers asleep in
// waits while others' tasks, which nobody had begun, lay queued at one of them. Whatever order the
// tasks are taken in, none waits for itself, so every wait must end.
#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <evencube/evencube.hpp>
#include <memory>
#include <string>
#include <tuple>

#include "deadline.hpp"
#include "repetitions.hpp"

namespace evencube::regression_acyclic_futures_test {
namespace {

// Each cell waits for the one above it and the one to its left.
void grid_of_futures(runtime& rt, int side) {
  std::atomic<int> ran{0};
  std::deque<future<void>> cells;
  for (int i = 0; i < side * side; ++i) {
    const auto at = [&](int k) { return &cells[static_cast<std::size_t>(k)]; };
    const future<void>* const above = i >= side ? at(i - side) : nullptr;
    const future<void>* const left = i % side != 0 ? at(i - 1) : nullptr;
    cells.push_back(rt.async([&ran, above, left] {
      if (above != nullptr) above->wait();
      if (left != nullptr) left->wait();
      ++ran;
    }));
  }
  for (const auto& cell : cells) cell.wait();
  ASSERT_EQ(ran, side * side);
}

// Each link waits for the one before it.
void chain_of_futures(runtime& rt, int links) {
  std::deque<future<int>> chain;
  for (int i = 0; i < links; ++i) {
    future<int>* const before = i > 0 ? &chain.back() : nullptr;
    chain.push_back(rt.async([before] { return before != nullptr ? before->get() + 1 : 1; }));
  }
  ASSERT_EQ(chain.back().get(), links);
}

// The last of a few is waited for at once.
void short_chain_of_futures(runtime& rt, int links) {
  std::deque<future<int>> chain;
  for (int i = 0; i < links; ++i) {
    future<int>* const before = i > 0 ? &chain.back() : nullptr;
    chain.push_back(rt.async([before] {
      if (before != nullptr) before->wait();
      return 1;
    }));
  }
  chain.back().wait();
  for (auto& link : chain) ASSERT_EQ(link.get(), 1);
}

// A task waits for a group that others spawn into, which were made outside and lie behind it.
void groups_made_elsewhere(runtime& rt, int width) {
  std::atomic<int> ran{0};
  task_group first(rt);
  task_group second(rt);
  for (int i = 0; i < width; ++i) {
    second.spawn([&] {
      rt.async([&] {
          task_group group;
          group.spawn(
              [&] {
                first.wait();
                ++ran;
              },
              {.home = 0});
          group.spawn([&] { first.spawn([&] { ++ran; }); });
          group.wait();
        }).get();
    });
  }
  second.wait();
  first.wait();
  ASSERT_EQ(ran, 2 * width);
}

// A worker whose children wait for futures, too: a mixture of forks, groups and futures, where a
// wait may stand on another one's stack.
void tree_beside_futures(runtime& rt, int width) {
  std::atomic<int> ran{0};
  std::deque<future<void>> made;
  task_group from_outside(rt);
  for (int i = 0; i < width; ++i) {
    const future<void>* const before = i > 0 ? &made.back() : nullptr;
    made.push_back(rt.async([&ran, before] {
      task_group group;
      for (int k = 0; k < 3; ++k) {
        group.spawn([&ran, before] {
          fork_join([&] { ++ran; },
                    [&] {
                      if (before != nullptr) before->wait();
                      ++ran;
                    });
        });
      }
      group.wait();
    }));
    from_outside.spawn([&ran, last = &made.back()] {
      last->wait();
      ++ran;
    });
  }
  from_outside.wait();
  ASSERT_EQ(ran, width * 7);
}

// Workers, balancer.
using acyclic_case = std::tuple<unsigned, std::string>;

class acyclic_futures : public testing::TestWithParam<acyclic_case> {
 protected:
  template <typename Program>
  void repeat(int usual, const Program& program, bool inside) {
    for (int n = test::repetitions(usual); n > 0 && !HasFatalFailure(); --n) {
      if (inside) {
        rt_.run([&] { program(rt_); });
      } else {
        program(rt_);
      }
      deadline_.renew();
    }
  }
  /// Fewer where there are many workers, whose waking takes long.
  [[nodiscard]] int fewer(int usual) const { return rt_.workers() > 8 ? usual / 4 : usual; }

  runtime rt_{
      {.workers = std::get<unsigned>(GetParam()), .balancer = std::get<std::string>(GetParam())}};
  test::deadline deadline_{rt_};
};

TEST_P(acyclic_futures, in_a_grid_waited_for_from_outside) {
  repeat(fewer(300), [](runtime& rt) { grid_of_futures(rt, 12); }, false);
}

TEST_P(acyclic_futures, in_a_grid_waited_for_from_inside) {
  repeat(fewer(300), [](runtime& rt) { grid_of_futures(rt, 12); }, true);
}

TEST_P(acyclic_futures, in_a_tree_of_forks_and_groups) {
  repeat(fewer(300), [](runtime& rt) { tree_beside_futures(rt, 10); }, false);
  repeat(fewer(300), [](runtime& rt) { tree_beside_futures(rt, 10); }, true);
}

TEST_P(acyclic_futures, in_short_chains) {
  for (const int links : {2, 3, 8}) {
    repeat(fewer(500), [=](runtime& rt) { short_chain_of_futures(rt, links); }, false);
    repeat(fewer(500), [=](runtime& rt) { short_chain_of_futures(rt, links); }, true);
  }
}

TEST_P(acyclic_futures, beside_groups_made_elsewhere) {
  for (const int width : {1, 2, 5}) {
    // From outside alone: a group made by a task may be waited for by nobody else.
    repeat(fewer(200), [=](runtime& rt) { groups_made_elsewhere(rt, width); }, false);
  }
}

// The stacks of a chain's waits may lie upon one another: shorter where frames are large.
TEST_P(acyclic_futures, in_a_chain) {
  const int links = 5000 / test::sanitizer_slowness;
  repeat(fewer(8), [=](runtime& rt) { chain_of_futures(rt, links); }, false);
  repeat(fewer(8), [=](runtime& rt) { chain_of_futures(rt, links); }, true);
}

std::string name_of(const testing::TestParamInfo<acyclic_case>& c) {
  return std::to_string(std::get<unsigned>(c.param)) + "_" + std::get<std::string>(c.param);
}

INSTANTIATE_TEST_SUITE_P(on, acyclic_futures,
                         testing::Combine(testing::Values(1, 2, 8, 64), testing::Values("oem")),
                         name_of);

// Few workers get into each other's way most.
INSTANTIATE_TEST_SUITE_P(on_few, acyclic_futures,
                         testing::Combine(testing::Values(3, 4),
                                          testing::Values("oem", "none", "random_stealing",
                                                          "locality")),
                         name_of);

}  // namespace
}  // namespace evencube::regression_acyclic_futures_test
