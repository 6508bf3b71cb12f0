#include <gmock/gmock.h>

#include <cstdint>
#include <evencube/trace/events.hpp>
#include <evencube/trace/readings.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <stdexcept>
#include <string>

#include "sample_trace.hpp"

namespace evencube::traces {
namespace {

using nlohmann::json;
using testing::ElementsAre;

json events_of(const trace& recorded) {
  std::string text;
  write_events(recorded, [&](std::span<const std::uint8_t> bytes) {
    text.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return json::parse(text).at("traceEvents");
}

TEST(trace_events, each_task_is_a_slice_on_the_track_of_its_worker) {
  std::map<int, double> computed;  // by track, in microseconds
  int tiles = 0;
  for (const json& event : events_of(sample_trace())) {
    if (event.at("ph") != "X" || !event.contains("args") || !event["args"].contains("parent")) {
      continue;
    }
    computed[event.at("tid").get<int>()] += event.at("dur").get<double>();
    if (event.at("name") == "tile") ++tiles;
  }
  // From start to end, waits included: tasks 0 and 2, tasks 1 and 3.
  EXPECT_THAT(computed, ElementsAre(std::pair(1, 36.0 + 15.0), std::pair(2, 20.0 + 20.0)));
  EXPECT_EQ(tiles, 2);
}

TEST(trace_events, a_move_is_an_arrow_from_where_the_task_lay_to_where_it_ran) {
  std::map<std::string, int> ends;  // of arrows: the track
  for (const json& event : events_of(sample_trace())) {
    const auto phase = event.at("ph").get<std::string>();
    if (phase == "s" || phase == "f") ends[phase] = event.at("tid").get<int>();
  }
  EXPECT_THAT(ends, ElementsAre(std::pair("f", 2), std::pair("s", 1)));
}

TEST(trace_events, what_the_sink_throws_goes_on) {
  EXPECT_THROW(
      write_events(sample_trace(),
                   [](std::span<const std::uint8_t>) { throw std::runtime_error("full"); }),
      std::runtime_error);
}

TEST(trace_readings, waits_do_not_count_as_computing) {
  EXPECT_THAT(computing_times(sample_trace()), ElementsAre(15'000, 20'000, 15'000, 20'000));
}

TEST(trace_readings, waits_that_overlap_count_once) {
  trace t = sample_trace();
  t.waits = {{0, 10'000, 20'000, 0}, {0, 12'000, 31'000, 0}};
  EXPECT_EQ(computing_times(t)[0], 15'000);
}

TEST(trace_readings, a_plan_makes_of_the_loads_what_it_says) {
  EXPECT_THAT(loads_after(sample_trace().rounds[0]), ElementsAre(1, 1));
}

TEST(trace_readings, a_task_without_a_name_has_a_word) {
  const trace t = sample_trace();
  EXPECT_EQ(name_in(t, t.tasks[1].name), "tile");
  EXPECT_EQ(name_in(t, no_name), "task");
}

}  // namespace
}  // namespace evencube::traces
