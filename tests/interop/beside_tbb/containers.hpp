#pragma once

// The body of a test that is compiled with different orders of includes: oneTBB's containers,
// filled by EvenCube's algorithms.
#include <atomic>
#include <cstddef>
#include <functional>
#include <type_traits>

namespace {

struct total {
  long sum = 0;
  total() = default;
  total(total& /*other*/, tbb::split /*by*/) {}
  void operator()(const tbb::blocked_range<int>& r) {
    for (int i = r.begin(); i < r.end(); ++i) sum += i;
  }
  void join(total& right) { sum += right.sum; }
};

/// Returns the number of elements of all parts: ranges that the program itself splits.
template <typename Range>
std::size_t split_by_hand(Range range) {
  tbb::proportional_split by(1, 3);
  const Range most(range, by);
  const Range rest(range, tbb::split());
  const auto size = [](const Range& part) {
    if constexpr (requires { part.size(); }) {
      return part.size();
    } else {
      return part.rows().size() * part.cols().size();
    }
  };
  return size(range) + size(rest) + size(most);
}

/// Returns true if everything is there once.
bool fill_containers() {
  tbb::concurrent_vector<int> numbers;
  tbb::concurrent_hash_map<int, int> squares;
  tbb::concurrent_queue<int> queue;
  tbb::parallel_for(tbb::blocked_range<int>(0, 1000, 10), [&](const tbb::blocked_range<int>& r) {
    for (int i = r.begin(); i < r.end(); ++i) {
      numbers.push_back(i);
      squares.insert({i, i * i});
      queue.push(i);
    }
  });
  std::atomic<long> in_vector{0};
  tbb::parallel_for(numbers.range(), [&](const auto& part) {
    for (const int number : part) in_vector += number;
  });
  std::atomic<long> in_map{0};
  tbb::parallel_for(squares.range(), [&](const auto& part) {
    for (const auto& [number, square] : part) in_map += square - number * number + 1;
  });
  tbb::spin_mutex theirs;
  tbb::profiling::set_name(theirs, "oneTBB's");
  tbb::queuing_mutex ours;
  tbb::profiling::set_name(ours, "EvenCube's");
  long in_queue = 0;
  for (int one = 0; queue.try_pop(one);) in_queue += one;
  total body;
  tbb::parallel_reduce(tbb::blocked_range<int>(0, 1000), body);
  tbb::task_group group;
  std::atomic<bool> here{false};
  // EvenCube's algorithms run on its workers.
  group.run([&] { here = evencube::this_task::runtime() != nullptr; });
  group.wait();
  const bool split = split_by_hand(tbb::blocked_range<int>(0, 100)) == 100 &&
                     split_by_hand(tbb::blocked_range2d<int>(0, 10, 0, 10)) == 100;
  return split && in_vector == 499500 && in_map == 1000 && in_queue == 499500 &&
         body.sum == 499500 && here;
}

}  // namespace
