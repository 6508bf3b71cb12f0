// Whatever is typed or pasted is refused with a sentence that names what is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asking.hpp"
#include "limits.hpp"

namespace evencube::lab {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;

std::string loads_refusal(const json& loads, const char* network = "hypercube:1") {
  return refusal_of({{"ask", "loads"}, {"topology", network}, {"loads", loads}});
}

std::string network_refusal(const std::string& network) {
  return refusal_of({{"ask", "network"}, {"topology", network}});
}

TEST(LabRefusals, LoadsThatAreNoLoads) {
  EXPECT_THAT(loads_refusal("1,two"), HasSubstr("\"two\" is not a whole number"));
  EXPECT_THAT(loads_refusal("1,2.5"), HasSubstr("\"2.5\""));
  EXPECT_THAT(loads_refusal("1,-2"), HasSubstr("\"-2\" is not in [0, 1000000000]"));
  EXPECT_THAT(loads_refusal("1,1000000001"), HasSubstr("\"1000000001\""));
  EXPECT_THAT(loads_refusal("1,99999999999999999999"), HasSubstr("is not in"));
  EXPECT_THAT(loads_refusal("1,2,3"),
              HasSubstr("There are 3 loads, but \"hypercube:1\" has 2 nodes"));
  EXPECT_THAT(loads_refusal(""), HasSubstr("There are 0 loads"));
  EXPECT_THAT(loads_refusal(std::string(10000, '1')), HasSubstr("...\""));
  EXPECT_THAT(loads_refusal(json::array({1, 2.5})), HasSubstr("not a whole number"));
  EXPECT_THAT(loads_refusal(json::array({1, nullptr})), HasSubstr("not a whole number"));
  EXPECT_THAT(loads_refusal(json::array({1, -1})), HasSubstr("below 0"));
  EXPECT_THAT(loads_refusal(json::array({1, UINT64_MAX})), HasSubstr("above"));
  EXPECT_THAT(loads_refusal(json::array({1, 1e300})), HasSubstr("not a whole number"));
  EXPECT_THAT(loads_refusal(17), HasSubstr("neither a text nor a list"));
  EXPECT_EQ(loads_refusal("1 000000000"), "");
}

TEST(LabRefusals, NetworksThatAreTooLargeOrNone) {
  EXPECT_THAT(network_refusal("hypercube:13"), HasSubstr("4096"));
  EXPECT_THAT(network_refusal("hypercube:99"), EndsWith("."));
  EXPECT_THAT(network_refusal("complete:4096"), HasSubstr("links"));
  EXPECT_THAT(network_refusal("mesh:99999999x99999999"), EndsWith("."));
  EXPECT_THAT(network_refusal("edges:0-1,1-10000000"), EndsWith("."));
  EXPECT_THAT(network_refusal("edges:0-1,2-3"), EndsWith("."));
  EXPECT_THAT(network_refusal("moebius:3"), HasSubstr("moebius"));
  EXPECT_THAT(network_refusal(""), EndsWith("."));
  std::string many = "edges:0-1";
  for (int k = 1; k < 60000; ++k) many += "," + std::to_string(k) + "-" + std::to_string(k + 1);
  EXPECT_THAT(network_refusal(many), EndsWith("."));
}

TEST(LabRefusals, RequestsThatAreNone) {
  const auto sentence = [](const std::string& text) {
    return json::parse(answer(text))["error"].get<std::string>();
  };
  EXPECT_THAT(sentence(""), HasSubstr("not a JSON object"));
  EXPECT_THAT(sentence("[1,2]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(sentence("{\"ask\": "), HasSubstr("not a JSON object"));
  EXPECT_THAT(sentence(std::string(100000, '[')), HasSubstr("not a JSON object"));
  EXPECT_THAT(sentence(std::string(most_request_bytes + 1, ' ')), HasSubstr("bytes, more than"));
  EXPECT_THAT(sentence("{}"), HasSubstr("\"ask\""));
  EXPECT_THAT(sentence(R"({"ask": 3})"), HasSubstr("not a text"));
  EXPECT_THAT(sentence(R"({"ask": "x\u0007y"})"), HasSubstr("\"x?y\""));
}

TEST(LabRefusals, PlansThatCannotBeMade) {
  const json good = {{"ask", "plan"},
                     {"topology", "hypercube:2"},
                     {"loads", {4, 0, 0, 0}},
                     {"balancer", "diffusion"}};
  const auto with = [&](const char* name, const json& value) {
    json request = good;
    request[name] = value;
    return refusal_of(request);
  };
  ASSERT_EQ(refusal_of(good), "");
  EXPECT_THAT(with("balancer", "magic"), AllOf(HasSubstr("magic"), HasSubstr("oem")));
  EXPECT_THAT(with("balancer", 3), HasSubstr("not a text"));
  EXPECT_THAT(with("options", {{"speed", "9"}}), HasSubstr("speed"));
  EXPECT_THAT(with("options", {{"iterations", "9999999"}}), HasSubstr("4096"));
  EXPECT_THAT(with("options", {{"iterations", "1e9"}}), HasSubstr("\"1e9\""));
  EXPECT_THAT(with("options", {{"form", nullptr}}), HasSubstr("form"));
  EXPECT_THAT(with("options", 3), HasSubstr("not an object"));
  EXPECT_THAT(with("seed", -1), HasSubstr("\"seed\""));
  EXPECT_THAT(with("seed", UINT64_MAX), HasSubstr("\"seed\""));
  EXPECT_THAT(with("initiator", 4), HasSubstr("[0, 3]"));
  EXPECT_THAT(with("capacities", {1, 2}), HasSubstr("There are 2 speeds"));
  EXPECT_THAT(with("capacities", {1, -2, 1, 1}), HasSubstr("at least 0"));
  EXPECT_THAT(refusal_of({{"ask", "plan"},
                          {"topology", "mesh:2x2"},
                          {"loads", {4, 0, 0, 0}},
                          {"balancer", "oem"}}),
              EndsWith("."));
  EXPECT_THAT(refusal_of({{"ask", "start"}, {"topology", "ring:5"}, {"start", "worst-oem"}}),
              HasSubstr("hypercubes"));
  EXPECT_THAT(refusal_of({{"ask", "start"}, {"topology", "ring:5"}, {"start", "none"}}),
              HasSubstr("there are uniform"));
}

TEST(LabRefusals, SimulationsThatCannotBeShown) {
  const json good = {{"ask", "simulate"}, {"scenario", "hot-spot"}};
  const auto with = [&](const char* name, const json& value) {
    json request = good;
    request[name] = value;
    return refusal_of(request);
  };
  ASSERT_EQ(refusal_of(good), "");
  EXPECT_THAT(refusal_of({{"ask", "simulate"}}), HasSubstr("\"scenario\""));
  EXPECT_THAT(with("scenario", "holidays"), AllOf(HasSubstr("holidays"), HasSubstr("loh-stable")));
  EXPECT_THAT(with("topology", "hypercube:13"), HasSubstr("4096"));
  EXPECT_THAT(with("topology", "complete:4096"), HasSubstr("links"));
  EXPECT_THAT(with("topology", "moebius:3"), HasSubstr("moebius"));
  EXPECT_THAT(with("balancer", "magic"), HasSubstr("magic"));
  EXPECT_THAT(with("options", {{"iterations", "9999999"}}), HasSubstr("4096"));
  EXPECT_THAT(with("seed", -1), HasSubstr("\"seed\""));
  EXPECT_THAT(with("load", 0), HasSubstr("\"load\""));
  EXPECT_THAT(with("load", "much"), HasSubstr("not a number from"));
  EXPECT_THAT(with("load", 1e6), HasSubstr("arrivals"));
  EXPECT_THAT(with("horizon", 1e300), HasSubstr("1000000000000.0"));
  EXPECT_THAT(with("service", "exponential:0"), HasSubstr("exponential:0"));
  EXPECT_THAT(with("service", "exponential:1x"), HasSubstr("'1x'"));
  EXPECT_THAT(with("service", "pareto:1,1"), HasSubstr("not above 0 and finite"));
  EXPECT_THAT(with("service", "constant:1e300"), HasSubstr("not above 0 and finite"));
  EXPECT_THAT(with("period", 0), HasSubstr("\"period\""));
  EXPECT_THAT(with("latency", -1), HasSubstr("\"latency\""));
  EXPECT_THAT(with("transmission", "pigeons"), HasSubstr("pigeons"));
  EXPECT_THAT(with("from", -1), HasSubstr("\"from\""));
  EXPECT_THAT(with("from", 100'000'000), HasSubstr("at most 100000000 events"));
  EXPECT_THAT(with("stride", 5'000'000), HasSubstr("\"stride\""));
  EXPECT_THAT(with("samples", 2001), HasSubstr("\"samples\""));
  EXPECT_THAT(
      refusal_of(
          {{"ask", "simulate"}, {"scenario", "hot-spot"}, {"stride", 4'000'000}, {"samples", 2}}),
      HasSubstr("8000000 events at once"));
  EXPECT_THAT(refusal_of({{"ask", "simulate"},
                          {"scenario", "batch"},
                          {"topology", "hypercube:12"},
                          {"loads", true},
                          {"samples", 100}}),
              HasSubstr("samples of 4096 nodes"));
  for (const char* member : {"latency", "per_quantum", "period"}) {
    EXPECT_THAT(
        refusal_of({{"ask", "simulate"}, {"scenario", "mmc"}, {"balancer", "none"}, {member, 1}}),
        HasSubstr("needs a balancer"));
  }
  EXPECT_THAT(refusal_of({{"ask", "simulate"}, {"scenario", "batch"}, {"load", 0.5}}),
              HasSubstr("no load can be offered"));
  EXPECT_THAT(refusal_of({{"ask", "simulate"}, {"scenario", "batch"}, {"period", 1}}),
              HasSubstr("no period can be chosen"));
  EXPECT_THAT(
      refusal_of({{"ask", "simulate"}, {"scenario", "fork-join"}, {"service", "constant:1"}}),
      HasSubstr("no service time can be chosen"));
  EXPECT_THAT(refusal_of({{"ask", "strategies"}, {"scenario", "batch"}}),
              HasSubstr("scenarios of Loh"));
  EXPECT_THAT(refusal_of({{"ask", "strategies"}, {"scenario", "loh-stable"}, {"runs", 21}}),
              HasSubstr("\"runs\""));
}

}  // namespace
}  // namespace evencube::lab
