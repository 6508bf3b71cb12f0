// What run, async and fork_join give back: any type that can be moved, references, nothing; each
// result destroyed as often as it was made, also where a move throws; a future once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <evencube/evencube.hpp>
#include <memory>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <utility>

#include "deadline.hpp"

namespace evencube::results_test {
namespace {

class results : public testing::TestWithParam<unsigned> {
 protected:
  runtime rt_{{.workers = GetParam()}};
  test::deadline deadline_{rt_};
};

TEST_P(results, may_be_references) {
  int number = 1;
  int& same = rt_.run([&]() -> int& { return number; });
  EXPECT_EQ(&same, &number);
  auto future = rt_.async([&]() -> const int& { return number; });
  static_assert(std::is_same_v<decltype(future.get()), const int&>);
  EXPECT_EQ(&future.get(), &number);
}

TEST_P(results, of_a_fork_may_be_references) {
  int left = 1;
  std::unique_ptr<int> right = std::make_unique<int>(2);
  std::atomic<bool> begun{false};
  // The left half waits until another worker has begun the right one, if there is another one.
  const auto kept = [&](bool wait) {
    return rt_.run([&] {
      return fork_join(
          [&]() -> int& {
            while (wait && !begun) std::this_thread::yield();
            return left;
          },
          [&]() -> std::unique_ptr<int>&& {
            begun = true;
            return std::move(right);
          });
    });
  };
  static_assert(std::is_same_v<decltype(kept(true)), std::pair<int&, std::unique_ptr<int>&&>>);
  for (const bool wait : {false, GetParam() > 1}) {
    begun = false;
    auto both = kept(wait);
    EXPECT_EQ(&both.first, &left);
    EXPECT_EQ(&both.second, &right);
    EXPECT_NE(right, nullptr);  // nobody has moved from it
  }
  const auto mixed =
      rt_.run([&] { return fork_join([] { return 3; }, [&]() -> const int& { return left; }); });
  EXPECT_EQ(mixed.first, 3);
  EXPECT_EQ(&mixed.second, &left);
}

TEST_P(results, may_be_move_only) {
  EXPECT_EQ(*rt_.run([] { return std::make_unique<int>(2); }), 2);
  EXPECT_EQ(*rt_.async([] { return std::make_unique<int>(3); }).get(), 3);
  const auto [left, right] = rt_.run([] {
    return fork_join([] { return std::make_unique<int>(4); },
                     [] { return std::make_unique<int>(5); });
  });
  EXPECT_EQ(*left + *right, 9);
}

/// Counts its objects; every move after the first `moves_left` ones throws.
struct counted {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<int> moves_left{0};

  counted() { ++alive; }
  counted(counted&&) {
    if (moves_left-- <= 0) throw std::runtime_error("moved");
    ++alive;
  }
  counted& operator=(counted&&) = delete;
  ~counted() { --alive; }
};

TEST_P(results, are_destroyed_where_a_move_throws) {
  for (int moves = 0; moves < 6; ++moves) {
    for (int repetition = 0; repetition < 50; ++repetition) {
      counted::moves_left = moves;
      try {
        rt_.run([&] {
          static_cast<void>(fork_join(
              [] {
                // Until somebody has taken the other half, if there is anybody.
                std::this_thread::sleep_for(std::chrono::microseconds(100));
                return 0;
              },
              [] { return counted{}; }));
        });
      } catch (const std::runtime_error&) {
      }
      ASSERT_EQ(counted::alive, 0) << moves << " moves";
    }
  }
}

TEST_P(results, of_a_future_are_there_once) {
  auto future = rt_.async([] { return 1; });
  auto moved = std::move(future);
  EXPECT_THROW(future.wait(), error);  // NOLINT(bugprone-use-after-move): it is what is tested
  EXPECT_THROW(static_cast<void>(future.ready()), error);
  EXPECT_EQ(moved.get(), 1);
  EXPECT_THROW(moved.get(), error);
  EXPECT_THROW(moved.wait(), error);
}

INSTANTIATE_TEST_SUITE_P(workers, results, testing::Values(1, 2, 5),
                         [](const auto& c) { return std::to_string(c.param) + "_workers"; });

}  // namespace
}  // namespace evencube::results_test
