// A run that stops between events gives the result of one that does not stop.
#include <gtest/gtest.h>

#include <numeric>
#include <stdexcept>
#include <utility>

#include <evencube/simulator/presets.hpp>
#include <evencube/simulator/stepped_run.hpp>

namespace evencube::simulator {
namespace {

TEST(stepped_run, stops_change_no_result) {
  for (const char* preset :
       {"mm1-array", "hot-spot", "batch", "rim-queueing", "loh-unstable", "search-tree", "mmc"}) {
    const double horizon = std::string_view(preset) == "mm1-array" ? 5 : 0;
    const auto s = make_preset(preset, {.horizon = horizon});
    const result whole = simulate(s.what, 9);
    stepped_run stepped(s.what, 9);
    for (std::uint64_t events = 1; stepped.advance(events); events = events * 3 % 1009 + 1) {
      const auto loads = stepped.loads();
      const auto seen = stepped.reading();
      ASSERT_LE(std::accumulate(loads.begin(), loads.end(), load_type{0}),
                static_cast<load_type>(seen.in_system))
          << preset << " after " << seen.events << " events";
    }
    const auto last = stepped.reading();
    const result found = stepped.finish();
    EXPECT_EQ(hash_of({found}), hash_of({whole})) << preset;
    EXPECT_FALSE(found.partial);
    EXPECT_EQ(last.events, whole.events) << preset;
    EXPECT_EQ(last.completed, whole.completed) << preset;
    EXPECT_EQ(hash_of({stepped.finish()}), hash_of({whole})) << preset << ", finished twice";
  }
}

TEST(stepped_run, readings_add_up) {
  const auto s = make_preset("loh-stable");
  stepped_run stepped(s.what, 4);
  EXPECT_EQ(stepped.reading().events, 0U);
  EXPECT_EQ(stepped.reading().in_system, 1600U);
  EXPECT_TRUE(stepped.advance(0));
  EXPECT_TRUE(stepped.advance(100));
  EXPECT_EQ(stepped.reading().events, 100U);
  stepped_run moved = std::move(stepped);
  EXPECT_FALSE(moved.advance(1U << 30));
  EXPECT_FALSE(moved.advance(1));
  const auto last = moved.reading();
  EXPECT_EQ(last.completed, 1600U);
  EXPECT_EQ(last.in_system, 0U);
  const result found = moved.finish();
  EXPECT_DOUBLE_EQ(last.response_sum / static_cast<double>(last.responses), found.mean_response);
  EXPECT_EQ(last.tasks_moved, found.tasks_moved);
}

TEST(stepped_run, refuses_what_simulate_refuses) {
  model nothing;
  EXPECT_THROW(stepped_run(nothing, 1), std::invalid_argument);
}

}  // namespace
}  // namespace evencube::simulator
