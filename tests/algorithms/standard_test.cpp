#include <algorithm>
#include <evencube/algorithms.hpp>
#include <functional>
#include <list>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "support.hpp"

namespace evencube::standard_test {
namespace {

using standard_names = test::on_workers;

struct point {
  int x = 0;
  [[nodiscard]] bool even() const { return x % 2 == 0; }
  void twice() { x *= 2; }
};

/// The same call of std:: and of evencube::, in a task and from outside.
TEST_P(standard_names, give_what_the_standard_gives) {
  for (const std::size_t n : std::vector<std::size_t>{0, 1, 10, 3000}) {
    std::vector<int> a(n);
    for (std::size_t i = 0; i < n; ++i) a[i] = static_cast<int>(i * 7919 % 1009);
    std::vector<int> b(a.rbegin(), a.rend());
    std::vector<int> expected(n);
    std::vector<int> here(n);
    std::vector<int> outside(n);
    const auto check = [&](const char* what) {
      EXPECT_EQ(here, expected) << what << " of " << n;
      EXPECT_EQ(outside, expected) << what << " of " << n << " from outside";
    };
    const auto square = [](int x) { return x * x; };
    const auto odd = [](int x) { return x % 2 != 0; };
    const auto large = [](int x) { return x > 2000; };

    std::transform(a.begin(), a.end(), expected.begin(), square);
    rt_.run([&] { evencube::transform(a.begin(), a.end(), here.begin(), square); });
    EXPECT_EQ(evencube::transform(rt_, a.begin(), a.end(), outside.begin(), square), outside.end());
    check("transform");
    std::transform(a.begin(), a.end(), b.begin(), expected.begin(), std::minus<>{});
    rt_.run(
        [&] { evencube::transform(a.begin(), a.end(), b.begin(), here.begin(), std::minus<>{}); });
    evencube::transform(rt_, a.begin(), a.end(), b.begin(), outside.begin(), std::minus<>{});
    check("transform of two");
    expected = a;
    rt_.run([&] { evencube::copy(a.begin(), a.end(), here.begin()); });
    EXPECT_EQ(evencube::copy(rt_, a.begin(), a.end(), outside.begin()), outside.end());
    check("copy");
    std::inclusive_scan(a.begin(), a.end(), expected.begin());
    rt_.run([&] { evencube::inclusive_scan(a.begin(), a.end(), here.begin()); });
    evencube::inclusive_scan(rt_, a.begin(), a.end(), outside.begin(), std::plus<>{}, 0);
    check("inclusive_scan");
    std::exclusive_scan(a.begin(), a.end(), expected.begin(), 5);
    rt_.run([&] { evencube::exclusive_scan(a.begin(), a.end(), here.begin(), 5); });
    evencube::exclusive_scan(rt_, a.begin(), a.end(), outside.begin(), 5, std::plus<>{});
    check("exclusive_scan");
    std::sort(expected.begin(), expected.end(), std::greater<>{});
    rt_.run([&] { evencube::sort(here.begin(), here.end(), std::greater<>{}); });
    evencube::stable_sort(rt_, outside.begin(), outside.end(), std::greater<>{});
    check("sort");
    std::fill(expected.begin(), expected.end(), 4);
    rt_.run([&] { evencube::fill(here.begin(), here.end(), 4); });
    evencube::fill(rt_, outside.begin(), outside.end(), 4);
    check("fill");
    const auto add = [](int& x) { x += 3; };
    std::for_each(expected.begin(), expected.end(), add);
    rt_.run([&] { evencube::for_each(here.begin(), here.end(), add); });
    evencube::for_each(rt_, outside.begin(), outside.end(), add);
    check("for_each");

    rt_.run([&] {
      EXPECT_EQ(evencube::reduce(a.begin(), a.end()), std::accumulate(a.begin(), a.end(), 0));
      EXPECT_EQ(evencube::find_if(a.begin(), a.end(), odd), std::find_if(a.begin(), a.end(), odd));
      EXPECT_EQ(evencube::any_of(a.begin(), a.end(), odd), std::any_of(a.begin(), a.end(), odd));
    });
    EXPECT_EQ(evencube::reduce(rt_, a.begin(), a.end(), 1L),
              std::accumulate(a.begin(), a.end(), 1L));
    EXPECT_EQ(
        evencube::reduce(rt_, a.begin(), a.end(), 1, [](int x, int y) { return std::max(x, y); }),
        std::accumulate(a.begin(), a.end(), 1, [](int x, int y) { return std::max(x, y); }));
    EXPECT_EQ(evencube::transform_reduce(rt_, a.begin(), a.end(), b.begin(), 2L),
              std::inner_product(a.begin(), a.end(), b.begin(), 2L));
    EXPECT_EQ(evencube::transform_reduce(rt_, a.begin(), a.end(), 2L, std::plus<>{}, square),
              std::transform_reduce(a.begin(), a.end(), 2L, std::plus<>{}, square));
    EXPECT_EQ(evencube::find_if(rt_, a.begin(), a.end(), large), a.end());
    EXPECT_EQ(evencube::all_of(rt_, a.begin(), a.end(), odd), std::all_of(a.begin(), a.end(), odd));
    EXPECT_TRUE(evencube::none_of(rt_, a.begin(), a.end(), large));
    EXPECT_EQ(evencube::count_if(rt_, a.begin(), a.end(), odd),
              std::count_if(a.begin(), a.end(), odd));
  }
}

TEST_P(standard_names, take_members_and_lists) {
  std::vector<point> points(100);
  for (int i = 0; i < 100; ++i) points[static_cast<std::size_t>(i)].x = i;
  EXPECT_EQ(evencube::count_if(rt_, points.begin(), points.end(), &point::even), 50);
  EXPECT_EQ(
      evencube::transform_reduce(rt_, points.begin(), points.end(), 0, std::plus<>{}, &point::x),
      4950);
  evencube::for_each(rt_, points.begin(), points.end(), &point::twice);
  EXPECT_EQ(points[99].x, 198);
  std::list<point> list(points.begin(), points.end());
  evencube::for_each(rt_, list.begin(), list.end(), &point::twice);
  EXPECT_EQ(list.back().x, 396);
}

TEST_P(standard_names, throw_where_the_standard_ends_the_program) {
  std::vector<int> numbers(1000, 1);
  EXPECT_THROW(evencube::for_each(rt_, numbers.begin(), numbers.end(),
                                  [](int) { throw std::runtime_error("on purpose"); }),
               std::runtime_error);
}

INSTANTIATE_TEST_SUITE_P(on, standard_names, testing::Values(1, 2, 3, 8), test::workers_name);

template <typename Element, typename Value>
constexpr bool reduced = requires(const std::vector<Element>& v, Value init) {
  evencube::reduce(v.begin(), v.end(), init);
};

TEST(standard_sums_that_would_narrow, do_not_compile) {
  static_assert(reduced<int, int> && reduced<int, long> && reduced<float, double>);
  static_assert(!reduced<double, int> && !reduced<std::size_t, int>);
}

TEST(standard_names_outside, are_refused_without_a_runtime) {
  std::vector<int> numbers(3);
  EXPECT_THROW(evencube::sort(numbers.begin(), numbers.end()), error);
}

}  // namespace
}  // namespace evencube::standard_test
