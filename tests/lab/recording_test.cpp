// The bridge gives the page the rounds of a recording, and refuses what is no good recording.
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <evencube/balancers/plan_tools.hpp>

#include "asking.hpp"
#include "limits.hpp"
#include "recordings.hpp"

namespace evencube::lab {
namespace {

using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using traces::trace;

json open(const std::string& file) { return json::parse(open_recording(file)); }
json open(const trace& recorded) { return open(file_of(recorded)); }

std::string refusal_of_file(const std::string& file) {
  const auto given = open(file);
  return given.contains("error") ? given["error"].get<std::string>() : "";
}

json rounds_from(std::size_t first, std::size_t count) {
  return ask({{"ask", "recording"}, {"from", first}, {"count", count}})["rounds"];
}

TEST(LabRecordings, TheRoundsAreThoseOfTheFile) {
  for (const char* balancer : {"dem", "oem", "cwa", "diffusion", "sender_initiated"}) {
    const trace made = made_recording("hypercube:3", balancer, 20);
    const auto facts = open(made);
    ASSERT_FALSE(facts.contains("error")) << facts["error"];
    EXPECT_EQ(facts, ask({{"ask", "recording"}}));
    EXPECT_EQ(facts["topology"], "hypercube:3");
    EXPECT_EQ(facts["workers"], 8);
    EXPECT_EQ(facts["balancer"], balancer);
    EXPECT_EQ(facts["workload"], "drawn");
    EXPECT_EQ(facts["rounds"], 20);
    EXPECT_EQ(facts["tasks"], 2);
    EXPECT_EQ(facts["moved"], json({{"rounds", 1}, {"pulls", 2}, {"rescues", 1}}));
    const auto given = rounds_from(0, 20);
    ASSERT_EQ(given.size(), 20U);
    load_type hops = 0;
    std::uint64_t transfers = 0;
    load_type largest = 0;
    for (std::size_t i = 0; i < 20; ++i) {
      const trace::round& one = made.rounds[i];
      const auto after = final_loads(one.planned, one.loads);
      EXPECT_EQ(given[i]["time"], one.time);
      EXPECT_EQ(given[i]["initial"], json(one.loads));
      EXPECT_EQ(given[i]["final"], json(after));
      EXPECT_EQ(given[i]["moved"], i == 19 ? 1 : 0);
      ASSERT_EQ(given[i]["phases"].size(), one.planned.phases.size());
      ASSERT_EQ(given[i]["differences"].size(), one.planned.phases.size() + 1);
      EXPECT_EQ(given[i]["differences"].front(), max_difference(one.loads));
      EXPECT_EQ(given[i]["differences"].back(), max_difference(after));
      EXPECT_EQ(facts["differences"]["before"][i], max_difference(one.loads));
      EXPECT_EQ(facts["differences"]["after"][i], max_difference(after));
      EXPECT_EQ(facts["differences"]["time"][i], one.time);
      for (std::size_t p = 0; p < one.planned.phases.size(); ++p) {
        const phase& expected = one.planned.phases[p];
        const json& found = given[i]["phases"][p];
        ASSERT_EQ(found.size(), 3 * expected.size());
        for (std::size_t t = 0; t < expected.size(); ++t) {
          EXPECT_EQ(found[3 * t], expected[t].from);
          EXPECT_EQ(found[3 * t + 1], expected[t].to);
          EXPECT_EQ(found[3 * t + 2], expected[t].quanta);
        }
      }
      hops += task_hops(one.planned);
      transfers += transfer_count(one.planned);
      for (const auto* loads : {&one.loads, &after}) {
        largest = std::max(largest, *std::max_element(loads->begin(), loads->end()));
      }
    }
    EXPECT_EQ(facts["task_hops"], hops);
    EXPECT_EQ(facts["transfers"], transfers);
    EXPECT_EQ(facts["largest"], largest);
  }
}

TEST(LabRecordings, APackedFileIsTheSameRecording) {
  const trace made = made_recording("mesh:3x4", "diffusion", 7);
  const auto facts = open_recording(file_of(made));
  const auto rounds = rounds_from(0, 7);
  EXPECT_EQ(open_recording(file_of(made, true)), facts);
  EXPECT_EQ(rounds_from(0, 7), rounds);
}

TEST(LabRecordings, TheBoundOfTheBalancerHoldsInItsUnit) {
  trace made = made_recording("hypercube:4", "oem", 30);
  open(made);
  for (const json& one : rounds_from(0, 30)) {
    EXPECT_EQ(one["bound"], 2);
    EXPECT_LE(one["differences"].back(), 2);
  }
  for (trace::round& one : made.rounds) {
    one.unit = 5;
    for (load_type& load : one.loads) load *= 5;
    for (phase& transfers : one.planned.phases) {
      for (transfer& t : transfers) t.quanta *= 5;
    }
  }
  made.rounds[1].initiator = 3;
  made.rounds[1].leader = 2;
  made.rounds[2].capacities.assign(16, 0.5);
  open(made);
  const auto given = rounds_from(0, 30);
  EXPECT_EQ(given[0]["bound"], 10);
  EXPECT_FALSE(given[0].contains("initiator"));
  EXPECT_TRUE(given[1]["bound"].is_null());
  EXPECT_EQ(given[1]["initiator"], 3);
  EXPECT_EQ(given[1]["leader"], 2);
  EXPECT_TRUE(given[2]["bound"].is_null());
  // Recordings name any balancer with any options.
  made.balancer = "mine";
  open(made);
  EXPECT_TRUE(rounds_from(0, 1)[0]["bound"].is_null());
  made.balancer = "diffusion";
  made.options["iterations"] = "99999999";
  EXPECT_FALSE(open(made).contains("error"));
  EXPECT_TRUE(rounds_from(0, 1)[0]["bound"].is_null());
}

TEST(LabRecordings, AnAnswerHasSomeOfTheRounds) {
  open(made_recording("ring:5", "diffusion", 100));
  EXPECT_EQ(rounds_from(0, 64).size(), 64U);
  EXPECT_EQ(rounds_from(97, 8).size(), 3U);
  EXPECT_EQ(ask({{"ask", "recording"}, {"from", 9}})["rounds"].size(), 1U);
  EXPECT_EQ(ask({{"ask", "recording"}, {"from", 9}})["from"], 9);
  const auto refused = [](const json& from, const json& count) {
    return refusal_of({{"ask", "recording"}, {"from", from}, {"count", count}});
  };
  EXPECT_THAT(refused(100, 1), HasSubstr("[0, 99]"));
  EXPECT_THAT(refused(-1, 1), HasSubstr("[0, 99]"));
  EXPECT_THAT(refused("all", 1), HasSubstr("\"from\""));
  EXPECT_THAT(refused(0, 65), HasSubstr("\"count\""));
  EXPECT_THAT(refused(0, 0), HasSubstr("\"count\""));
  // Rounds with much in them come one by one.
  trace large = made_recording("hypercube:12", "oem", 3);
  for (trace::round& one : large.rounds) one.planned.phases.resize(600);
  open(large);
  EXPECT_EQ(rounds_from(0, 3).size(), 1U);
  EXPECT_EQ(rounds_from(2, 3).size(), 1U);
}

TEST(LabRecordings, TheChartOfManyRoundsHasTheLargestDifferences) {
  trace made = made_recording("linear:2", "diffusion", 5002);
  made.rounds[4321].loads = {9000, 0};
  made.rounds[4321].planned = {};
  made.rounds[5001].loads = {8000, 0};
  made.rounds[5001].planned.phases = {{{0, 1, 4000}}};
  const auto charted = open(made)["differences"];
  EXPECT_EQ(charted["round"].size(), 1668U);
  EXPECT_EQ(charted["time"].size(), 1668U);
  EXPECT_EQ(*std::max_element(charted["before"].begin(), charted["before"].end()), 9000);
  EXPECT_EQ(*std::max_element(charted["after"].begin(), charted["after"].end()), 9000);
  EXPECT_EQ(charted["round"].back(), 5001);
  EXPECT_EQ(charted["before"].back(), 8000);
  EXPECT_EQ(charted["after"].back(), 0);
  const std::set<std::size_t> shown(charted["round"].begin(), charted["round"].end());
  EXPECT_EQ(shown.size(), 1668U);
  EXPECT_TRUE(shown.contains(4321));
}

TEST(LabRecordings, LongTextsAreCut) {
  trace made = made_recording("ring:3", "diffusion", 1);
  made.workload = std::string(5000, 'w');
  made.recorded_on = "\xE2\x82\xAC \xFF<b>";
  const auto facts = open(made);
  EXPECT_EQ(facts["workload"].get<std::string>(), std::string(160, 'w') + "...");
  EXPECT_EQ(facts["recorded_on"], "\xE2\x82\xAC \xEF\xBF\xBD<b>");
}

TEST(LabRecordings, WithoutARecordingThereIsNothingToAskFor) {
  open(made_recording("ring:3", "diffusion", 1));
  EXPECT_EQ(ask({{"ask", "forget"}}), json::object());
  EXPECT_EQ(refusal_of({{"ask", "recording"}}), "No recording is open.");
  EXPECT_EQ(refusal_of({{"ask", "recording"}, {"from", 0}}), "No recording is open.");
}

TEST(LabRecordings, ARefusedFileLeavesTheOpenRecordingAlone) {
  const auto facts = open(made_recording("ring:3", "diffusion", 4));
  EXPECT_NE(refusal_of_file("not a trace at all"), "");
  EXPECT_EQ(ask({{"ask", "recording"}}), facts);
  EXPECT_NE(refusal_of_file(file_of(made_recording("ring:4", "diffusion", 0))), "");
  EXPECT_EQ(ask({{"ask", "recording"}}), facts);
  EXPECT_EQ(rounds_from(0, 9).size(), 4U);
}

TEST(LabRecordings, CutFilesAreRefused) {
  const auto file = file_of(made_recording("ring:3", "diffusion", 2));
  ASSERT_EQ(refusal_of_file(file), "");
  for (std::size_t length = 0; length < file.size(); ++length) {
    const auto said = refusal_of_file(file.substr(0, length));
    ASSERT_THAT(said, StartsWith("The recording cannot be read: byte ")) << length;
    ASSERT_THAT(said, AnyOf(HasSubstr("cut"), HasSubstr("too short"))) << length;
    ASSERT_EQ(said.back(), '.');
  }
  EXPECT_THAT(refusal_of_file(file + "x"), HasSubstr("1 bytes follow the end"));
  const auto packed = file_of(made_recording("ring:3", "diffusion", 2), true);
  for (std::size_t length = 2; length < packed.size(); length += 7) {
    ASSERT_THAT(refusal_of_file(packed.substr(0, length)), HasSubstr("cut")) << length;
  }
}

TEST(LabRecordings, DamagedFilesAreRefused) {
  const auto file = file_of(made_recording("ring:3", "diffusion", 2));
  for (std::size_t at = 0; at < file.size(); ++at) {
    auto damaged = file;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    ASSERT_THAT(refusal_of_file(damaged), StartsWith("The recording cannot be read: byte ")) << at;
  }
  EXPECT_THAT(refusal_of_file("{\"ask\": \"catalogue\"}"),
              HasSubstr("does not begin with EVCTRACE"));
}

std::string four(std::uint32_t value) {
  std::string bytes;
  for (int i = 0; i < 4; ++i) bytes += static_cast<char>(value >> (8 * i) & 0xFF);
  return bytes;
}

/// A block with the right checksum.
std::string block(const std::string& kind, const json& payload) {
  const auto bytes = json::to_cbor(payload);
  const auto sum = crc32(0, bytes.data(), static_cast<uInt>(bytes.size()));
  return kind + four(static_cast<std::uint32_t>(bytes.size())) +
         four(static_cast<std::uint32_t>(sum)) + std::string(bytes.begin(), bytes.end());
}

/// The head of a recording of nothing.
json plain_head() {
  json costs = {{"workers", 0}};
  for (const char* name : {"measure", "send", "receive", "transfer_send", "transfer_receive",
                           "latency", "per_quantum"}) {
    costs[name] = 0.0;
  }
  json head = {{"workload", "hostile"},    {"balancer", "oem"},    {"options", json::object()},
               {"transmission", "direct"}, {"topology", "ring:3"}, {"capacities", json::array()},
               {"costs", costs},           {"makespan", 10},       {"cut", false}};
  for (const char* name : {"tasks", "waits", "migrations", "rounds"}) head[name] = 0;
  return head;
}

TEST(LabRecordings, HostileSizesAreRefused) {
  const std::string start = "EVCTRACE" + four(3);
  EXPECT_THAT(refusal_of_file(start + "HEAD" + four(0xFFFFFFFF) + four(0)),
              HasSubstr("needs 4294967295 bytes, 0 are left"));
  const auto with = [&](const char* name, const json& value) {
    json head = plain_head();
    head[name] = value;
    return refusal_of_file(start + block("HEAD", head) + block("END.", json::object()));
  };
  EXPECT_THAT(with("cut", false),
              HasSubstr("has no rounds that could be shown; its balancer is \"oem\""));
  for (const char* name : {"tasks", "waits", "migrations", "rounds"}) {
    EXPECT_THAT(with(name, 4'000'000'000U), AllOf(HasSubstr(name), HasSubstr("too short"))) << name;
    EXPECT_THAT(with(name, std::numeric_limits<std::uint64_t>::max()), HasSubstr("too short"));
  }
  EXPECT_THAT(with("topology", "hypercube:13"),
              HasSubstr("8192 workers, but the lab shows at most 4096"));
  EXPECT_THAT(with("topology", "complete:4096"),
              HasSubstr("links, but the lab draws at most 65536"));
  EXPECT_THAT(with("topology", "hypercube:40"), HasSubstr("hypercube:40"));
  EXPECT_THAT(with("topology", "moebius:3"), HasSubstr("moebius"));
  EXPECT_THAT(refusal_of_file(std::string(most_recording_bytes + 1, 'x')),
              HasSubstr("268435457 bytes"));
}

TEST(LabRecordings, RoundsThatCannotBeShownAreRefused) {
  trace made = made_recording("linear:2", "diffusion", 3);
  made.rounds[1].planned = {};
  made.rounds[1].loads = {load_type{1} << 53, 0};
  EXPECT_EQ(refusal_of_file(file_of(made)), "");
  made.rounds[1].loads[1] = 1;
  EXPECT_THAT(refusal_of_file(file_of(made)),
              HasSubstr("Round 1 of the recording has 9007199254740993 quanta"));
  made.rounds[1].loads = {1, 1};
  made.rounds[1].planned.phases.resize(65'536);
  EXPECT_EQ(refusal_of_file(file_of(made)), "");
  made.rounds[1].planned.phases.resize(65'537);
  EXPECT_THAT(refusal_of_file(file_of(made)), HasSubstr("has 65537 phases"));
  trace many = made_recording("complete:300", "diffusion", 1);
  // The memory that the reader may take grows with the file.
  many.workload.assign(std::size_t{16} << 20, 'w');
  many.rounds[0].loads.assign(300, 1'000'000);
  many.rounds[0].planned.phases.assign(6, {});
  for (phase& one : many.rounds[0].planned.phases) {
    for (node_id a = 0; a < 300; ++a) {
      for (node_id b = 0; b < 300; ++b) {
        if (a < b) one.push_back({a, b, 1});
      }
    }
  }
  EXPECT_EQ(refusal_of_file(file_of(many)), "");
  many.rounds[0].planned.phases.resize(12, many.rounds[0].planned.phases[0]);
  EXPECT_THAT(refusal_of_file(file_of(many)), HasSubstr("has 538200 transfers"));
}

TEST(LabRecordings, APackedFileThatUnpacksToTooMuchIsRefused) {
  trace made = made_recording("ring:3", "diffusion", 1);
  made.workload = std::string(std::size_t{2} << 20, ' ');
  const auto packed = file_of(made, true);
  ASSERT_LT(packed.size(), 10'000U);
  EXPECT_THAT(refusal_of_file(packed), HasSubstr("which is too much for"));
}

}  // namespace
}  // namespace evencube::lab
