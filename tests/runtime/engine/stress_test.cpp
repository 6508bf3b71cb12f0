#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <evencube/evencube.hpp>
#include <stdexcept>

#include "deadline.hpp"

namespace evencube::stress_test {
namespace {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr int repetitions = 10;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr int repetitions = 10;
#else
constexpr int repetitions = 200;
#endif
#else
constexpr int repetitions = 200;
#endif

/// As many as the build can bear, or as EVENCUBE_STRESS_REPETITIONS says.
int repetitions_asked() {
  const char* const text = std::getenv("EVENCUBE_STRESS_REPETITIONS");
  return text != nullptr ? std::max(1, std::atoi(text)) : repetitions;
}

// 200 runs of 50 000 tiny tasks in nested groups on 64 workers, 1 task in 1000 throws: nothing is
// lost, nothing runs twice, and every group with a throwing task says so.
TEST(stress, ten_million_tiny_tasks_on_64_workers) {
  runtime rt({.workers = 64});
  const test::deadline deadline(rt, std::chrono::seconds{240});
  constexpr std::uint64_t outer = 50;
  constexpr std::uint64_t inner = 999;
  const int last = repetitions_asked();
  for (int repetition = 0; repetition < last; ++repetition) {
    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> sum{0};
    std::atomic<std::uint64_t> thrown{0};
    rt.run([&] {
      task_group groups;
      for (std::uint64_t g = 0; g < outer; ++g) {
        groups.spawn([&, g] {
          ++count;
          task_group group;
          for (std::uint64_t i = 0; i < inner; ++i) {
            group.spawn([&, id = g * inner + i] {
              ++count;
              sum += id;
              if (id % 1000 == 500) throw std::runtime_error("one of a thousand");
            });
          }
          try {
            group.wait();
          } catch (const std::runtime_error&) {
            ++thrown;
          }
        });
      }
      groups.wait();
    });
    ASSERT_EQ(count, outer * (inner + 1)) << "repetition " << repetition;
    ASSERT_EQ(sum, outer * inner * (outer * inner - 1) / 2) << "repetition " << repetition;
    ASSERT_EQ(thrown, outer) << "repetition " << repetition;
  }
}

}  // namespace
}  // namespace evencube::stress_test
