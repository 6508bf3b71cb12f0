#include <deque>
#include <evencube/algorithms.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace evencube::transform_test {
namespace {

using transforms = test::on_workers;

TEST_P(transforms, put_every_result_in_its_place) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 33, 4000}) {
    std::vector<int> from(n);
    for (std::size_t i = 0; i < n; ++i) from[i] = static_cast<int>(i);
    std::deque<std::string> to(n + 1, "untouched");
    const auto text = [](int x) { return std::to_string(x); };
    auto end = parallel_transform(rt_, from.begin(), from.end(), to.begin(), text);
    EXPECT_EQ(end, to.begin() + static_cast<std::ptrdiff_t>(n));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(to[i], std::to_string(i));
    EXPECT_EQ(to.back(), "untouched");
    // In place, from a range, and of two.
    parallel_transform(rt_, from, from.begin(), [](int x) { return x + 1; });
    std::vector<int> sums(n);
    rt_.run([&] {
      parallel_transform(from.begin(), from.end(), from.begin(), sums.begin(), std::plus<>{},
                         {.grain = 5});
    });
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sums[i], 2 * static_cast<int>(i) + 2);
  }
}

struct point {
  int x = 0;
};

TEST_P(transforms, take_members_and_make_what_is_movable_only) {
  const std::vector<point> points{{1}, {2}, {3}};
  std::vector<int> xs(3);
  parallel_transform(rt_, points, xs.begin(), &point::x);
  EXPECT_EQ(xs, (std::vector<int>{1, 2, 3}));
  std::vector<std::unique_ptr<int>> made(3);
  parallel_transform(rt_, xs, made.begin(), [](int x) { return std::make_unique<int>(x); });
  EXPECT_EQ(*made[2], 3);
  const std::vector<bool> bits{true, false, true};  // read, not written
  parallel_transform(rt_, bits, xs.begin(), [](bool b) { return b ? 7 : 8; });
  EXPECT_EQ(xs, (std::vector<int>{7, 8, 7}));
}

TEST_P(transforms, throw_what_the_function_throws) {
  std::vector<int> numbers(1000, 1);
  numbers[999] = 0;
  EXPECT_THROW(parallel_transform(rt_, numbers, numbers.begin(),
                                  [](int x) {
                                    if (x == 0) throw std::runtime_error("on purpose");
                                    return x;
                                  }),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(on, transforms, testing::Values(1, 2, 3, 8), test::workers_name);

template <typename Element>
constexpr bool written = requires(std::vector<Element>& v) {
  evencube::parallel_transform(v, v.begin(), [](Element x) { return x; });
};

TEST(transforms_of_bits, do_not_compile) { static_assert(written<char> && !written<bool>); }

}  // namespace
}  // namespace evencube::transform_test
