#include <atomic>
#include <evencube/algorithms.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "support.hpp"

namespace evencube::parallel_invoke_test {
namespace {

using invoking = test::on_workers;

TEST_P(invoking, calls_any_number_once) {
  std::atomic<int> calls{0};
  const auto one = [&] { ++calls; };
  for (int repetition = 0; repetition < 50; ++repetition) {
    rt_.run([&] {
      parallel_invoke();
      parallel_invoke(one);
      parallel_invoke(one, one);
      parallel_invoke(one, one, one);
      parallel_invoke(one, one, one, one, one, one, one);
      fork_join(one, one, one);
      fork_join(one, one, one, one);
    });
  }
  EXPECT_EQ(calls, 50 * (1 + 2 + 3 + 7 + 3 + 4));
}

TEST_P(invoking, gives_back_the_results_in_their_order) {
  const auto results = parallel_invoke(
      rt_, [] { return 1; }, [] { return std::string("two"); }, [] {},
      [] { return std::make_unique<int>(4); }, [] { return 5.0; });
  static_assert(std::is_same_v<decltype(results), const std::tuple<int, std::string, std::monostate,
                                                                   std::unique_ptr<int>, double>>);
  EXPECT_EQ(std::get<0>(results), 1);
  EXPECT_EQ(std::get<1>(results), "two");
  EXPECT_EQ(*std::get<3>(results), 4);
  EXPECT_EQ(std::get<4>(results), 5.0);
  static_assert(std::is_void_v<decltype(parallel_invoke([] {}, [] {}, [] {}))>);
}

TEST_P(invoking, gives_back_references) {
  int number = 1;
  std::string text;
  auto results = parallel_invoke(
      rt_, [&]() -> int& { return number; }, [] { return 2; },
      [&]() -> const std::string& { return text; }, [] {}, [&]() -> int& { return number; });
  static_assert(std::is_same_v<decltype(results),
                               std::tuple<int&, int, const std::string&, std::monostate, int&>>);
  EXPECT_EQ(&std::get<0>(results), &number);
  EXPECT_EQ(std::get<1>(results), 2);
  EXPECT_EQ(&std::get<2>(results), &text);
  EXPECT_EQ(&std::get<4>(results), &number);
  auto only = parallel_invoke([&]() -> int& { return number; });
  EXPECT_EQ(&std::get<0>(only), &number);
}

TEST_P(invoking, throws_after_all_that_began_have_ended) {
  for (int thrower = 0; thrower < 5; ++thrower) {
    std::atomic<int> begun{0};
    std::atomic<int> ended{0};
    const auto work = [&](int number) {
      return [&, number] {
        ++begun;
        for (int spin = 0; spin < 2000; ++spin) __asm__ volatile("");
        ++ended;
        if (number == thrower) throw std::runtime_error(std::to_string(number));
      };
    };
    try {
      parallel_invoke(rt_, work(0), work(1), work(2), work(3), work(4));
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(e.what(), std::to_string(thrower));
    }
    EXPECT_EQ(begun, ended);
  }
}

TEST_P(invoking, throws_the_leftmost_of_those_that_were_thrown) {
  for (int repetition = 0; repetition < 50; ++repetition) {
    const auto thrower = [](int number) { return [number] { throw number; }; };
    EXPECT_THROW(
        {
          try {
            parallel_invoke(rt_, thrower(0), thrower(1), thrower(2), thrower(3));
          } catch (int number) {
            EXPECT_EQ(number, 0);  // it always runs
            throw;
          }
        },
        int);
  }
}

// A named function object is referred to: what it changes in itself is seen.
TEST_P(invoking, calls_functions_where_they_stand) {
  int calls = 0;
  auto counting = [&calls, own = 0]() mutable { calls = ++own; };
  for (int i = 0; i < 3; ++i) parallel_invoke(rt_, counting, [] {}, [] {});
  EXPECT_EQ(calls, 3);
}

int leaves(unsigned depth) {
  if (depth == 0) return 1;
  const auto below = [&] { return leaves(depth - 1); };
  const auto [a, b, c] = parallel_invoke(below, below, below);
  return a + b + c;
}

TEST_P(invoking, nests) {
  EXPECT_EQ(rt_.run([] { return leaves(8); }), 6561);
}

INSTANTIATE_TEST_SUITE_P(on, invoking, testing::Values(1, 2, 3, 8, 64), test::workers_name);

TEST(parallel_invoke_outside, needs_a_runtime_for_more_than_one_function) {
  int calls = 0;
  parallel_invoke();
  parallel_invoke([&] { ++calls; });
  EXPECT_EQ(calls, 1);
  EXPECT_THROW(parallel_invoke([] {}, [] {}), error);
}

}  // namespace
}  // namespace evencube::parallel_invoke_test
