#include <atomic>
#include <evencube/algorithms.hpp>
#include <forward_list>
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "support.hpp"

namespace evencube::for_each_test {
namespace {

using each = test::on_workers;

TEST_P(each, element_of_any_range_is_met_once) {
  std::forward_list<int> forward(300, 1);
  std::list<int> both_ways(300, 1);
  std::map<int, int> map;
  for (int i = 0; i < 300; ++i) map[i] = 1;
  std::vector<int> random(300, 1);
  const auto twice = [](int& x) { x *= 2; };
  rt_.run([&] {
    parallel_for_each(forward, twice);
    parallel_for_each(both_ways.begin(), both_ways.end(), twice);
    parallel_for_each(map, [](auto& entry) { entry.second *= 2; });
    parallel_for_each(random, twice);
  });
  parallel_for_each(rt_, forward, twice);
  EXPECT_EQ(forward, std::forward_list<int>(300, 4));
  EXPECT_EQ(both_ways, std::list<int>(300, 2));
  EXPECT_EQ(random, std::vector<int>(300, 2));
  for (const auto& [key, value] : map) EXPECT_EQ(value, 2) << key;
}

struct part {
  int number = 1;
  void twice() { number *= 2; }
};

TEST_P(each, element_is_met_through_a_projection) {
  std::vector<part> random(300);
  std::list<part> both_ways(300);
  const auto twice = [](int& x) { x *= 2; };
  const std::stop_token token;
  parallel_for_each(rt_, random, twice, &part::number);
  parallel_for_each(rt_, both_ways, twice, &part::number);
  EXPECT_EQ(parallel_for_each(on(rt_, token), random, twice, &part::number),
            wait_status::completed);
  EXPECT_EQ(parallel_for_each(on(rt_, token), both_ways, twice, &part::number),
            wait_status::completed);
  rt_.run([&] {
    parallel_for_each(random.begin(), random.end(), twice, &part::number);
    parallel_for_each(both_ways, &part::twice, [](part& p) -> part& { return p; });
  });
  for (const part& p : random) EXPECT_EQ(p.number, 8);
  for (const part& p : both_ways) EXPECT_EQ(p.number, 8);
  std::istringstream text("1 2 3 4");
  std::atomic<int> sum{0};
  parallel_for_each(
      rt_, std::istream_iterator<int>(text), std::istream_iterator<int>(), [&](int x) { sum += x; },
      std::negate<>());
  EXPECT_EQ(sum, -10);
}

TEST_P(each, item_of_a_stream_is_kept_for_its_call) {
  std::istringstream text("1 2 3 4 5 6 7 8 9 10");
  std::atomic<int> sum{0};
  parallel_for_each(rt_, std::istream_iterator<int>(text), std::istream_iterator<int>(),
                    [&](int x) { sum += x; });
  EXPECT_EQ(sum, 55);
}

/// Counts, once: like what reads a stream it cannot be copied.
struct counting_once {
  using value_type = int;
  using difference_type = std::ptrdiff_t;
  using iterator_concept = std::input_iterator_tag;

  explicit counting_once(int to) : last(to) {}
  counting_once(counting_once&&) = default;
  counting_once& operator=(counting_once&&) = default;
  int operator*() const { return at; }
  counting_once& operator++() {
    ++at;
    return *this;
  }
  void operator++(int) { ++at; }
  friend bool operator==(const counting_once& i, std::default_sentinel_t) { return i.at == i.last; }

  int at = 0;
  int last;
};

TEST_P(each, iterator_may_be_movable_only) {
  const auto end = std::default_sentinel;
  std::atomic<int> sum{0};
  const auto add = [&](int x) { sum += x; };
  parallel_for_each(rt_, counting_once(5), end, add);
  EXPECT_EQ(sum, 10);
  EXPECT_EQ(parallel_for_each(rt_, std::stop_token(), counting_once(5), end, add),
            wait_status::completed);
  evencube::for_each(rt_, counting_once(5), end, add);
  EXPECT_EQ(sum, 30);
}

TEST_P(each, item_that_was_fed_is_met_once) {
  // Every number n feeds those with one more binary digit: 2^14 in all.
  for (const bool random_access : {false, true}) {
    std::vector<std::atomic<int>> visits(1U << 14U);
    const auto body = [&](unsigned n, feeder<unsigned>& feed) {
      ++visits[n];
      if (2 * n < visits.size()) {
        feed.add(2 * n);
        feed.add(2 * n + 1);
      }
    };
    if (random_access) {
      parallel_for_each(rt_, std::vector<unsigned>{1}, body);
    } else {
      parallel_for_each(rt_, std::list<unsigned>{1}, body);
    }
    EXPECT_EQ(visits[0], 0);
    for (std::size_t n = 1; n < visits.size(); ++n) ASSERT_EQ(visits[n], 1) << n;
  }
}

TEST_P(each, fed_item_may_be_movable_only) {
  using item = std::unique_ptr<int>;
  std::vector<item> first;
  first.push_back(std::make_unique<int>(10));
  std::atomic<int> sum{0};
  parallel_for_each(rt_, first, [&](item& own, feeder<item>& feed) {
    sum += *own;
    if (*own > 0) feed.add(std::make_unique<int>(*own - 1));
  });
  EXPECT_EQ(sum, 55);
}

TEST_P(each, exception_comes_when_all_have_ended) {
  std::atomic<int> begun{0};
  std::atomic<int> ended{0};
  std::list<int> numbers;
  for (int i = 0; i < 500; ++i) numbers.push_back(i);
  EXPECT_THROW(parallel_for_each(rt_, numbers,
                                 [&](int x, feeder<int>& feed) {
                                   ++begun;
                                   if (x < 100) feed.add(x + 1000);
                                   ++ended;
                                   if (x == 250) throw std::runtime_error("on purpose");
                                 }),
               std::runtime_error);
  EXPECT_EQ(begun, ended);
  std::vector<int> more(500, 1);
  more[300] = 0;
  EXPECT_THROW(parallel_for_each(rt_, more,
                                 [&](int x, feeder<int>& feed) {
                                   if (x == 0) throw std::runtime_error("on purpose");
                                   if (x == 1) feed.add(2);
                                 }),
               std::runtime_error);
}

// A loop is part of its task, which goes on: it is not cut short, whatever the iterators.
TEST_P(each, element_is_met_below_a_group_that_was_stopped) {
  std::vector<int> random(1000, 1);
  const std::list<int> both_ways(1000, 1);
  std::istringstream text("1 2 3 4 5 6 7 8 9 10");
  std::atomic<int> of_a_vector{0};
  std::atomic<int> of_a_list{0};
  std::atomic<int> of_a_stream{0};
  std::atomic<int> fed{0};
  task_group stopped(rt_);
  stopped.spawn([&] {
    stopped.request_stop();
    parallel_for_each(random, [&](int) { ++of_a_vector; });
    parallel_for_each(both_ways, [&](int) { ++of_a_list; });
    parallel_for_each(std::istream_iterator<int>(text), std::istream_iterator<int>(),
                      [&](int) { ++of_a_stream; });
    parallel_for_each(random, [&](int x, feeder<int>& feed) {
      ++fed;
      if (x == 1) feed.add(2);
    });
  });
  EXPECT_EQ(stopped.wait(), wait_status::stopped);
  EXPECT_EQ(of_a_vector, 1000);
  EXPECT_EQ(of_a_list, 1000);
  EXPECT_EQ(of_a_stream, 10);
  EXPECT_EQ(fed, 2000);
}

INSTANTIATE_TEST_SUITE_P(on, each, testing::Values(1, 2, 3, 8, 64), test::workers_name);

template <typename Iterator, typename Body>
constexpr bool accepted = requires(Iterator first, Iterator last, const Body& body) {
  evencube::parallel_for_each(first, last, body);
  evencube::for_each(first, last, body);
};

// What a stream gives is kept until its call, and can be read there, but not be taken as new.
TEST(each_of_a_stream, needs_a_body_for_what_is_kept) {
  using stream = std::istream_iterator<std::string>;
  const auto reads = [](const std::string&) {};
  const auto copies = [](std::string) {};
  const auto takes = [](std::string&&) {};
  static_assert(accepted<stream, decltype(reads)> && accepted<stream, decltype(copies)>);
  static_assert(!accepted<stream, decltype(takes)>);
  using moved = std::move_iterator<std::forward_list<std::string>::iterator>;
  static_assert(accepted<moved, decltype(reads)>);
}

}  // namespace
}  // namespace evencube::for_each_test
