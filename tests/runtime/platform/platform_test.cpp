// What each platform must do. Where a platform cannot do something, it says so.
#include "platform/platform.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include <evencube/detail/atomics.hpp>

namespace evencube::detail {
namespace {

using word = std::atomic<std::uint32_t>;

// -- Sleeping and waking

TEST(platform_sleep, ends_at_once_on_another_value) {
  word one{1};
  futex_wait(one, 0);
  futex_wait_for(one, 0, std::int64_t{1} << 62);
  EXPECT_EQ(one, 1U);
}

TEST(platform_sleep, ends_in_time) {
  word one{0};
  const std::int64_t began = now_ns();
  // Sleeps may end early, though hardly a hundred times.
  for (int i = 0; i < 100 && now_ns() - began < 2'000'000; ++i) futex_wait_for(one, 0, 2'000'000);
  EXPECT_GE(now_ns() - began, 2'000'000);
}

// Each thread waits for its turn on a word of its own. There are more words than lists of sleepers.
TEST(platform_sleep, a_wake_finds_the_word) {
  constexpr std::size_t threads = 300;
  std::vector<word> turns(threads);
  std::vector<std::thread> all;
  all.reserve(threads);
  for (std::size_t k = 0; k < threads; ++k) {
    all.emplace_back([&, k] {
      while (turns[k] == 0) futex_wait(turns[k], 0);
      const std::size_t next = (k + 1) % threads;
      turns[next] = turns[k] + 1;
      futex_wake(turns[next], 1);
    });
  }
  turns[0] = 1;
  futex_wake(turns[0], 1);
  for (auto& thread : all) thread.join();
  EXPECT_EQ(turns[0], threads + 1);
}

// Several threads sleep on one word; each wake lets at least one of them go on, and all of them
// are found one after another.
TEST(platform_sleep, wakes_as_many_as_asked) {
  constexpr int sleepers = 8;
  word tickets{0};
  std::atomic<int> went{0};
  std::vector<std::thread> all;
  for (int k = 0; k < sleepers; ++k) {
    all.emplace_back([&] {
      for (;;) {
        std::uint32_t left = tickets;
        if (left == 0) {
          futex_wait(tickets, 0);
        } else if (tickets.compare_exchange_weak(left, left - 1)) {
          ++went;
          return;
        }
      }
    });
  }
  for (int k = 0; k < sleepers; ++k) {
    ++tickets;
    futex_wake(tickets, 1);
    while (went < k + 1) std::this_thread::yield();
  }
  for (auto& thread : all) thread.join();
  EXPECT_EQ(went, sleepers);
}

// A wake after a change of the word is never lost, in whichever order both come.
TEST(platform_sleep, loses_no_wake) {
  constexpr std::uint32_t rounds = 20'000;
  word ball{0};
  std::thread other([&] {
    for (std::uint32_t i = 1; i < rounds; i += 2) {
      while (ball != i) futex_wait(ball, i - 1);
      ball = i + 1;
      futex_wake(ball, 1);
    }
  });
  for (std::uint32_t i = 0; i < rounds; i += 2) {
    while (ball != i) futex_wait(ball, i - 1);
    ball = i + 1;
    futex_wake(ball, 1);
  }
  other.join();
  EXPECT_EQ(ball, rounds);
}

// -- Threads

TEST(platform_threads, may_run_somewhere) {
  const std::vector<unsigned> mine = thread_affinity();
  const std::vector<unsigned> all = process_affinity();
  ASSERT_FALSE(mine.empty());
  EXPECT_TRUE(std::ranges::is_sorted(mine));
  EXPECT_TRUE(std::ranges::includes(all, mine));
  EXPECT_GE(online_units(), 1U);
  EXPECT_STRNE(source_of_affinity(), "");
  EXPECT_TRUE(runs_only_on(mine));
  EXPECT_TRUE(set_thread_affinity(mine));
  EXPECT_FALSE(set_thread_affinity({}));
  EXPECT_FALSE(runs_only_on({}));
}

TEST(platform_threads, are_bound_or_refused) {
  const std::vector<unsigned> before = thread_affinity();
  if (before.size() < 2) GTEST_SKIP() << "there is one processing unit only";
  const std::array<unsigned, 1> one{before.back()};
  EXPECT_EQ(set_thread_affinity(one), can_bind_threads());
  EXPECT_EQ(runs_only_on(one), can_bind_threads());
  if (can_bind_threads()) {
    EXPECT_EQ(unit_under_thread(), static_cast<int>(one[0]));
  } else {
    EXPECT_LT(unit_under_thread(), 0);
  }
  EXPECT_TRUE(set_thread_affinity(before));
  EXPECT_TRUE(runs_only_on(before));
}

TEST(platform_threads, have_places_or_none) {
  const std::vector<place_of_unit> places = places_of_units();
  if (places.empty()) GTEST_SKIP() << "this platform lists no parts of the machine";
  EXPECT_GE(places.size(), online_units());
  for (const unsigned unit : process_affinity()) {
    EXPECT_NE(std::ranges::find(places, unit, &place_of_unit::os_index), places.end()) << unit;
  }
  for (const place_of_unit& a : places) {
    for (const place_of_unit& b : places) {
      if (a.core != b.core) continue;
      EXPECT_EQ(a.l2_group, b.l2_group) << a.os_index << " and " << b.os_index;
      EXPECT_EQ(a.l3_group, b.l3_group) << a.os_index << " and " << b.os_index;
      EXPECT_EQ(a.package, b.package) << a.os_index << " and " << b.os_index;
      EXPECT_EQ(a.kind, b.kind) << a.os_index << " and " << b.os_index;
    }
  }
}

TEST(platform_threads, have_clocks_or_none) {
  EXPECT_FALSE(read_clock(nobodys_clock));
  const thread_clock clock = own_clock();
  EXPECT_EQ(read_clock(clock).has_value(), clock != nobodys_clock);
  EXPECT_EQ(time_of_thread().has_value(), clock != nobodys_clock);
  const auto before = time_of_thread();
  if (!before) GTEST_SKIP() << "this platform has no clocks of threads";
  while (time_of_thread() == before) {
  }
  EXPECT_GT(time_of_thread(), before);
  EXPECT_GE(read_clock(clock), before);
}

TEST(platform_threads, know_where_their_stack_ends) {
  std::thread([] {
    const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
    const end_of_stack end = end_of_own_stack(here);
    ASSERT_NE(end.little, 0U);
    EXPECT_LT(end.low, here);
    EXPECT_GE(here - end.low, end.little) << "short, and nothing is on it yet";
  }).join();
}

TEST(platform_threads, take_names_of_any_length) {
  std::thread([] {
    name_current_thread("a name that is too long", "12");
    name_current_thread("", "s3");
  }).join();
}

// -- The process

std::atomic<int> forks{0};

TEST(platform_process, follows_forks_or_says_that_it_does_not) {
  // Forking itself is in the tests of the engine.
  const bool followed = follow_forks([] { ++forks; }, [] { ++forks; }, [] { ++forks; });
  EXPECT_EQ(forks, 0);
  if (!followed) GTEST_SKIP() << "this platform follows no forks";
}

TEST(platform_process, has_a_number_and_a_name) {
  const int number = process_number();
  EXPECT_GT(number, 0);
  EXPECT_EQ(process_number(), number);
  EXPECT_FALSE(program_name().empty());
  EXPECT_EQ(program_name().find_first_of("/\\"), std::string::npos);
}

TEST(platform_process, reads_its_environment) {
  const char* const path = std::getenv("PATH");
  EXPECT_STREQ(trusted_environment("PATH"), path);
  EXPECT_EQ(trusted_environment("EVENCUBE_IS_SET_BY_NOBODY"), nullptr);
}

TEST(platform_process, may_have_a_limit_of_its_own) {
  const auto limit = limit_of_job();
  EXPECT_FALSE(limit && has_control_groups());
  EXPECT_GT(limit.value_or(1), 0);
}

struct type_with_a_name {};

TEST(platform_process, names_types) {
  EXPECT_NE(readable(typeid(type_with_a_name)).find("type_with_a_name"), std::string::npos);
}

// -- Files

class platform_files : public testing::Test {
 protected:
  platform_files() { std::filesystem::create_directories(folder_); }
  ~platform_files() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string content() const {
    std::ifstream in(name_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::string folder_ =
      testing::TempDir() + "platform_files_" + std::to_string(process_number()) + "_of_test";
  std::string name_ = folder_ + "/file";
};

TEST_F(platform_files, are_made_once) {
  EXPECT_EQ(kind_of_file(name_), file_kind::absent);
  {
    new_file made;
    ASSERT_EQ(made.create(name_), 0);
    EXPECT_EQ(made.write("one "), 0);
    EXPECT_EQ(made.write(std::string(100'000, 'x')), 0);
    EXPECT_EQ(made.write(""), 0);
    EXPECT_EQ(made.close(), 0);
    EXPECT_EQ(made.close(), 0) << "there is nothing left to close";
  }
  EXPECT_EQ(kind_of_file(name_), file_kind::regular);
  EXPECT_EQ(content(), "one " + std::string(100'000, 'x'));
  EXPECT_EQ(new_file().create(name_), EEXIST);
}

TEST_F(platform_files, take_the_names_of_others) {
  const std::string draft = folder_ + "/draft";
  for (const char* const bytes : {"old", "new"}) {
    new_file made;
    ASSERT_EQ(made.create(draft), 0);
    EXPECT_EQ(made.write(bytes), 0);
    EXPECT_EQ(made.close(), 0);
    EXPECT_EQ(rename_file(draft, name_), 0);
    EXPECT_EQ(content(), bytes);
    EXPECT_EQ(kind_of_file(draft), file_kind::absent);
  }
  EXPECT_NE(rename_file(draft, name_), 0);
  EXPECT_EQ(content(), "new");
}

TEST_F(platform_files, tell_why_they_cannot_be_made) {
  EXPECT_EQ(new_file().create(folder_ + "/absent/file"), ENOENT);
  EXPECT_EQ(kind_of_file(folder_), file_kind::folder);
#if defined(_WIN32)
  EXPECT_EQ(kind_of_file("NUL"), file_kind::other);
#else
  EXPECT_EQ(kind_of_file("/dev/null"), file_kind::other);
#endif
}

TEST(platform_text, goes_to_the_output_for_errors) {
  errno = EDOM;
  testing::internal::CaptureStderr();
  write_all(2, "some text\n");
  EXPECT_EQ(errno, EDOM);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "some text\n");
}

}  // namespace
}  // namespace evencube::detail
