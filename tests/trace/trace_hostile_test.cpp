// Traces that were made to break the reader: each block is whole and its checksum right.

#include <zlib.h>

#include <cstdint>
#include <evencube/trace/trace.hpp>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sample_trace.hpp"

namespace evencube::traces {
namespace {

using json = nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

std::string four(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

std::string block(const std::string& kind, const std::string& payload) {
  const auto* const bytes = reinterpret_cast<const Bytef*>(payload.data());
  const auto size = static_cast<uInt>(payload.size());
  return kind + four(size) + four(static_cast<std::uint32_t>(crc32(0, bytes, size))) + payload;
}

std::string block(const std::string& kind, const json& payload) {
  const auto bytes = json::to_cbor(payload);
  return block(kind, std::string(bytes.begin(), bytes.end()));
}

const std::string start = "EVCTRACE" + four(3);

std::string refusal(const std::string& content) {
  std::istringstream bytes(content);
  try {
    (void)read_trace(bytes, content.size(), "some.trace");
  } catch (const trace_error& problem) {
    return problem.what();
  }
  return "accepted";
}

/// The sample trace as blocks.
std::vector<std::pair<std::string, json>> sample_blocks() {
  std::string content;
  write_trace(sample_trace(), [&](std::span<const std::uint8_t> bytes) {
    content.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  std::vector<std::pair<std::string, json>> blocks;
  for (std::size_t at = start.size(); at < content.size();) {
    std::uint32_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      size |= std::uint32_t{static_cast<unsigned char>(content[at + 4 + i])} << (8 * i);
    }
    blocks.emplace_back(content.substr(at, 4), json::from_cbor(content.substr(at + 12, size)));
    at += 12 + size;
  }
  return blocks;
}

/// The reader's message about the sample trace with one block changed.
std::string refusal_with(const std::string& kind, const std::function<void(json&)>& change) {
  std::string content = start;
  for (auto& [name, payload] : sample_blocks()) {
    if (name == kind) change(payload);
    content += block(name, payload);
  }
  return refusal(content);
}

TEST(trace_hostile, the_sample_itself_is_good) {
  EXPECT_EQ(refusal_with("HEAD", [](json&) {}), "accepted");
}

TEST(trace_hostile, other_versions_are_refused) {
  for (const std::uint32_t version : {0U, 1U, 4U, 0xFFFFFFFFU}) {
    EXPECT_THAT(refusal("EVCTRACE" + four(version)),
                AllOf(HasSubstr("version " + std::to_string(version) + " is not known"),
                      HasSubstr("2 and 3 are")));
  }
}

// A file of version 2 has no names, regions or counters.
TEST(trace_hostile, a_file_of_version_2_is_read) {
  std::string content = "EVCTRACE" + four(2);
  for (auto& [name, payload] : sample_blocks()) {
    if (name == "NAME" || name == "REGN" || name == "CNTS") continue;
    if (name == "HEAD") {
      for (const char* const later : {"names", "regions", "counts"}) payload.erase(later);
    }
    if (name == "TASK") {
      EXPECT_EQ(payload.erase("name"), 1U);
      EXPECT_EQ(payload.erase("cost"), 1U);
    }
    content += block(name, payload);
  }
  trace expected = sample_trace();
  expected.names.clear();
  expected.regions.clear();
  expected.counts.clear();
  for (trace::task& t : expected.tasks) {
    t.name = no_name;
    t.cost = 1;
  }
  std::istringstream bytes(content);
  EXPECT_EQ(read_trace(bytes, content.size(), "older"), expected);
}

TEST(trace_hostile, a_file_without_costs_has_tasks_of_one_quantum) {
  std::string content = start;
  for (auto& [name, payload] : sample_blocks()) {
    if (name == "TASK") {
      EXPECT_EQ(payload.erase("cost"), 1U);
    }
    content += block(name, payload);
  }
  trace expected = sample_trace();
  for (trace::task& t : expected.tasks) t.cost = 1;
  std::istringstream bytes(content);
  EXPECT_EQ(read_trace(bytes, content.size(), "older"), expected);
}

TEST(trace_hostile, a_column_is_known_by_its_name_alone) {
  std::string content = start;
  for (auto& [name, payload] : sample_blocks()) {
    if (name == "TASK") {
      EXPECT_EQ(payload.erase("name"), 1U);
    }
    content += block(name, payload);
  }
  trace expected = sample_trace();
  for (trace::task& t : expected.tasks) t.name = no_name;
  std::istringstream bytes(content);
  EXPECT_EQ(read_trace(bytes, content.size(), "nameless"), expected);
}

TEST(trace_hostile, costs_are_what_the_runtime_takes) {
  for (const auto& [cost, verdict] : {std::pair{0, "task 3 counts for 0 quanta: at least 1"},
                                      {1, "accepted"},
                                      {65536, "accepted"},
                                      {65537, "at most 65536"},
                                      {-1, "cost is -1"}}) {
    EXPECT_THAT(refusal_with("TASK", [&](json& t) { t["cost"][3] = cost; }), HasSubstr(verdict));
  }
  EXPECT_THAT(refusal_with("TASK", [](json& t) { t["cost"][3] = 1.5; }), HasSubstr("cost is 1.5"));
}

TEST(trace_hostile, names_regions_and_counters_are_what_they_should_be) {
  EXPECT_THAT(refusal_with("NAME", [](json& n) { n["names"][0] = 7; }),
              HasSubstr("a name is 7, no text"));
  EXPECT_THAT(refusal_with("NAME", [](json& n) { n["names"][0] = std::string(1025, 'x'); }),
              HasSubstr("name 0 has 1025 bytes, at most 1024"));
  EXPECT_EQ(refusal_with("NAME", [](json& n) { n["names"][0] = std::string(1024, 'x'); }),
            "accepted");
  EXPECT_THAT(refusal_with("NAME", [](json& n) { n["names"].push_back("more"); }),
              HasSubstr("promises 3"));
  EXPECT_THAT(refusal_with("TASK", [](json& t) { t["name"][1] = 3; }),
              HasSubstr("task 1 has no name"));
  EXPECT_THAT(refusal_with("TASK", [](json& t) { t["name"][1] = "tile"; }), HasSubstr("name is"));
  EXPECT_THAT(refusal_with("TASK", [](json& t) { t["name"].erase(0); }),
              HasSubstr("column name has another length"));
  EXPECT_THAT(refusal_with("REGN", [](json& r) { r["task"][0] = 4; }),
              HasSubstr("region 0 names no task"));
  EXPECT_THAT(refusal_with("REGN", [](json& r) { r["name"][0] = 3; }),
              HasSubstr("region 0 has no name"));
  EXPECT_THAT(refusal_with("REGN", [](json& r) { r["ended"][0] = 36'001; }),
              HasSubstr("region 0 does not lie within its task"));
  EXPECT_THAT(refusal_with("REGN", [](json& r) { r["ended"][0] = 999; }),
              HasSubstr("region 0 does not lie within its task"));
  EXPECT_THAT(refusal_with("CNTS", [](json& c) { c["worker"][0] = 2; }),
              HasSubstr("count 0 names no worker"));
  EXPECT_THAT(refusal_with("CNTS", [](json& c) { c["name"][1] = 3; }),
              HasSubstr("count 1 has no name"));
  EXPECT_THAT(refusal_with("CNTS", [](json& c) { c["time"][0] = 60'001; }),
              HasSubstr("count 0 comes after the makespan"));
  EXPECT_THAT(refusal_with("CNTS", [](json& c) { c["value"][0] = "much"; }),
              HasSubstr("value is \"much\", no number"));
  EXPECT_THAT(refusal_with(
                  "CNTS", [](json& c) { c["value"][0] = std::numeric_limits<double>::infinity(); }),
              HasSubstr("count 0 is no finite number"));
}

// The first versions did not record the planner.
TEST(trace_hostile, an_older_head_that_says_less_is_read) {
  std::string content = start;
  for (auto& [name, payload] : sample_blocks()) {
    if (name == "HEAD") {
      for (const char* const later : {"mode", "period", "threshold", "pulls"}) {
        EXPECT_EQ(payload.erase(later), 1U) << later;
      }
    }
    content += block(name, payload);
  }
  std::istringstream bytes(content);
  EXPECT_EQ(read_trace(bytes, content.size(), "older"), sample_trace());
}

TEST(trace_hostile, nesting_is_bounded) {
  for (const char opening : {'\x81', '\x9f', '\x7f', '\x5f', '\xc1'}) {
    const std::string deep(std::size_t{8} << 20, opening);
    EXPECT_THAT(refusal(start + block("HEAD", deep)), HasSubstr("block HEAD at byte 12"));
  }
  std::string maps;
  for (int i = 0; i < 150'000; ++i) maps += "\xa1\x60";
  EXPECT_THAT(refusal(start + block("HEAD", maps)), HasSubstr("within each other"));
}

TEST(trace_hostile, values_that_take_more_memory_than_their_file_are_refused) {
  // 20 MB of empty maps, empty arrays, and of phases without transfers.
  for (const char empty : {'\xa0', '\x80'}) {
    std::string many = "\xa1\x61x\x9a";
    constexpr std::uint32_t count = 20'000'000;
    for (int shift = 24; shift >= 0; shift -= 8) many += static_cast<char>(count >> shift & 0xFF);
    many.append(count, empty);
    EXPECT_THAT(refusal(start + block("HEAD", many)), HasSubstr("it would take more than"));
  }
}

TEST(trace_hostile, promises_are_not_believed) {
  for (const char* const name :
       {"tasks", "waits", "migrations", "rounds", "regions", "counts", "names"}) {
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head[name] = 1'000'000'000; }),
                HasSubstr(std::string("promises 1000000000 ") + name));
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head[name] = 0; }),
                HasSubstr("the head promises 0"));
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head[name] = 7; }),
                HasSubstr("the head promises 7"));
  }
}

TEST(trace_hostile, no_block_has_more_entries_than_the_documentation_says) {
  const auto blocks = sample_blocks();
  json head = blocks[0].second;
  head["tasks"] = 65'537;
  json tasks = blocks[2].second;
  for (auto& column : tasks) {
    const json last = column.back();
    while (column.size() < 65'537) column.push_back(last);
  }
  EXPECT_THAT(refusal(start + block("HEAD", head) + block("TASK", tasks)),
              HasSubstr("65537 entries, at most 65536"));
}

TEST(trace_hostile, large_networks_are_refused_before_they_are_made) {
  for (const char* const network :
       {"fibonacci:36", "hypercube:24", "complete:16777216", "mesh:4096x4096", "edges:0-9999999"}) {
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head["topology"] = network; }),
                AllOf(StartsWith("some.trace: topology"), HasSubstr(network)));
  }
}

// Puts a value that is not allowed into every place of a trace that holds a number.
TEST(trace_hostile, numbers_are_what_they_should_be) {
  const json bad[] = {-1,  0.5,     1e300, std::numeric_limits<double>::quiet_NaN(),
                      "7", nullptr, true,  json::array()};
  for (const json& value : bad) {
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head["makespan"] = value; }),
                HasSubstr("makespan is"));
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head["threshold"] = value; }),
                HasSubstr("threshold is"));
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head["tasks"] = value; }),
                HasSubstr("tasks is"));
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head["costs"]["workers"] = value; }),
                HasSubstr("workers is"));
    for (const char* const column :
         {"parent", "spawned_by", "spawned", "worker", "started", "ended", "home", "group"}) {
      EXPECT_THAT(refusal_with("TASK", [&](json& tasks) { tasks[column][1] = value; }),
                  AllOf(HasSubstr("block TASK"), HasSubstr(column)));
    }
    for (const char* const column : {"task", "began", "ended", "group"}) {
      EXPECT_THAT(refusal_with("WAIT", [&](json& waits) { waits[column][0] = value; }),
                  HasSubstr("block WAIT"));
    }
    for (const char* const column : {"task", "time", "from", "to", "round"}) {
      EXPECT_THAT(refusal_with("MOVE", [&](json& moves) { moves[column][0] = value; }),
                  HasSubstr("block MOVE"));
    }
    for (const char* const number : {"time", "seed", "initiator", "leader"}) {
      EXPECT_THAT(refusal_with("RNDS", [&](json& all) { all["rounds"][0][number] = value; }),
                  HasSubstr(std::string(number) + " is"));
    }
    EXPECT_THAT(refusal_with("RNDS", [&](json& all) { all["rounds"][0]["loads"][0] = value; }),
                HasSubstr("loads is"));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_THAT(
          refusal_with("RNDS", [&](json& all) { all["rounds"][0]["plan"][0][0][i] = value; }),
          HasSubstr("block RNDS"));
    }
  }
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["makespan"] = 0xFFFFFFFFFFFFFFFF; }),
              HasSubstr("the makespan is 18446744073709551615"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["costs"]["latency"] = -1.0; }),
              HasSubstr("latency is -1"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["costs"]["latency"] = "soon"; }),
              HasSubstr("latency is \"soon\""));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["capacities"] = {1, 0}; }),
              HasSubstr("capacity 1 is 0"));
}

TEST(trace_hostile, things_of_another_kind_are_named) {
  for (const char* const key : {"workload", "balancer", "transmission", "topology"}) {
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head[key] = 5; }), HasSubstr("block HEAD"));
    EXPECT_THAT(refusal_with("HEAD", [&](json& head) { head.erase(key); }), HasSubstr(key));
  }
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["options"]["a"] = 5; }), HasSubstr("HEAD"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["options"] = 5; }), HasSubstr("HEAD"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["mode"] = 5; }), HasSubstr("HEAD"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["mode"] = "magic"; }), HasSubstr("\"magic\""));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["pulls"] = "on"; }), HasSubstr("HEAD"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h["costs"] = 5; }), HasSubstr("HEAD"));
  EXPECT_THAT(refusal_with("HEAD", [](json& h) { h = json::array(); }), HasSubstr("is no map"));
  EXPECT_THAT(refusal_with("TASK", [](json& t) { t["home"] = 5; }), HasSubstr("home is no array"));
  EXPECT_THAT(refusal_with("TASK", [](json& t) { t["home"].push_back(0); }),
              HasSubstr("column home has another length"));
  EXPECT_THAT(refusal_with("RNDS", [](json& r) { r["rounds"] = 1; }), HasSubstr("no array"));
  EXPECT_THAT(refusal_with("RNDS", [](json& r) { r["rounds"][0] = 1; }), HasSubstr("no map"));
  EXPECT_THAT(refusal_with("RNDS", [](json& r) { r["rounds"][0]["plan"][0] = 1; }),
              HasSubstr("a phase of a plan is no array"));
  EXPECT_THAT(refusal_with("RNDS", [](json& r) { r["rounds"][0]["plan"][0][0] = {1, 2}; }),
              HasSubstr("[from, to, quanta]"));
}

std::string invalid(const std::function<void(trace&)>& change) {
  trace t = sample_trace();
  change(t);
  try {
    validate(t);
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(trace_hostile, contradictions_are_named) {
  const auto second = [](trace& t) -> trace::task& { return t.tasks[1]; };
  EXPECT_THAT(invalid([](trace& t) { t.rounds[0].loads = {-2, 4}; }),
              AllOf(HasSubstr("round 0"), HasSubstr("is -2")));
  EXPECT_THAT(
      invalid([](trace& t) { t.rounds[0].loads = {std::numeric_limits<load_type>::max(), 1}; }),
      HasSubstr("round 0"));
  EXPECT_THAT(invalid([](trace& t) { t.rounds[0].service_times = {1}; }), HasSubstr("round 0"));
  EXPECT_THAT(invalid([](trace& t) { t.rounds[0].initiator = 2; }), HasSubstr("round 0"));
  EXPECT_THAT(invalid([](trace& t) { t.rounds[0].leader = 2; }), HasSubstr("led by worker 2"));
  EXPECT_THAT(invalid([](trace& t) {
                t.rounds[0].planned.phases = {{{0, 1, std::numeric_limits<load_type>::max()}}};
              }),
              AllOf(HasSubstr("round 0"), HasSubstr("has only 2")));
  for (const load_type unit : {0, -1, 2}) {
    EXPECT_THAT(invalid([unit](trace& t) { t.rounds[0].unit = unit; }),
                AllOf(HasSubstr("round 0"), HasSubstr("unit " + std::to_string(unit))));
  }
  EXPECT_THAT(invalid([](trace& t) { t.rounds[0].time = latest_trace_time + 1; }),
              HasSubstr("round 0 comes too late"));
  EXPECT_THAT(invalid([](trace& t) { t.migrations[0].time = latest_trace_time + 1; }),
              HasSubstr("migration 0 comes too late"));
  EXPECT_THAT(invalid([](trace& t) { t.balancer = "random_stealing"; }),
              HasSubstr("random_stealing plans nothing, but there are 1 rounds"));
  EXPECT_THAT(invalid([](trace& t) { t.waits[0].group = 3; }),
              HasSubstr("wait 0 is for group 3, which has no tasks"));
  EXPECT_THAT(invalid([](trace& t) { t.makespan = 59'999; }),
              HasSubstr("task 3 ends after the makespan"));
  EXPECT_THAT(invalid([&](trace& t) {
                // Two tasks without length, each of which is the other's parent.
                second(t) = {2, 0, 5, 0, 5, 5};
                t.tasks[2] = {1, 0, 5, 0, 5, 5};
              }),
              HasSubstr("descends from itself"));
}

}  // namespace
}  // namespace evencube::traces
