#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "../common/program.hpp"

namespace bench::injector {

inline const workload about{"injector",
                            "word",
                            {{"n", "1000000", "1000", "words from each producer"},
                             {"producers", "1", "1", "threads that push"}}};

/// Cells of the queue: as many as `runtime_options::injection_capacity` has unless told otherwise.
inline constexpr std::size_t capacity = 4096;

/// Producers push 1, 2, .. n into one queue each, the workers pop. A Queue has
///   bool push(word)         false: it is full
///   std::uint64_t take()    0: it is empty
template <typename Queue>
int measure(program& with) {
  const std::uint64_t n = with.number("n");
  const std::uint64_t producers = with.number("producers");
  std::atomic<std::uint64_t> sum{0};
  return with.measure({.units = static_cast<double>(n * producers),
                       .run =
                           [&] {
                             sum = 0;
                             return timed([&] {
                               Queue queue;
                               std::atomic<std::uint64_t> left{n * producers};
                               std::vector<std::jthread> threads;
                               for (std::uint64_t k = 0; k < producers; ++k) {
                                 threads.emplace_back([&] {
                                   for (std::uint64_t word = 1; word <= n; ++word) {
                                     while (!queue.push(word)) std::this_thread::yield();
                                   }
                                 });
                               }
                               for (unsigned k = 0; k < with.workers(); ++k) {
                                 threads.emplace_back([&] {
                                   std::uint64_t mine = 0;
                                   while (left.load(std::memory_order_relaxed) != 0) {
                                     if (const std::uint64_t word = queue.take()) {
                                       mine += word;
                                       left.fetch_sub(1, std::memory_order_relaxed);
                                     } else {
                                       std::this_thread::yield();
                                     }
                                   }
                                   sum += mine;
                                 });
                               }
                             });
                           },
                       .verify =
                           [&] {
                             const std::uint64_t due = producers * (n * (n + 1) / 2);
                             return sum == due
                                        ? ""
                                        : "the words add up to " + std::to_string(sum.load());
                           }});
}

}  // namespace bench::injector
