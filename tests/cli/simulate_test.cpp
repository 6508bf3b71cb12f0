// evencube simulate: presets, overrides, replications.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::HasSubstr;

TEST(simulate_command, lists_its_presets) {
  const auto result = evencube({"simulate"});
  EXPECT_EQ(result.status, 0);
  EXPECT_THAT(result.out, HasSubstr("mm1-array"));
  EXPECT_THAT(result.out, HasSubstr("loh-unstable"));
}

TEST(simulate_command, lists_its_presets_for_programs) {
  const auto result = evencube({"simulate", "--json"});
  EXPECT_EQ(result.status, 0);
  const auto presets = result.as_json().at("presets");
  ASSERT_GE(presets.size(), 8U);
  for (const auto& preset : presets) {
    const auto ran =
        evencube({"simulate", preset.at("name").get<std::string>(), "--horizon", "20", "--json"});
    EXPECT_EQ(ran.status, 0) << preset << ran.err;
    EXPECT_EQ(ran.as_json().at("preset"), preset.at("name"));
  }
}

// 4096 equal tasks on one of 64 nodes: without balancing 64 times the optimum.
TEST(simulate_command, batches_have_a_normalised_performance) {
  const auto metrics_of = [](const std::string& arguments) {
    const auto result = evencube(words("simulate " + arguments + " --json"));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("metrics");
  };
  const auto pi = [&](const std::string& arguments) {
    return metrics_of(arguments).at("normalised_performance").at("mean").get<double>();
  };
  EXPECT_GT(pi("batch --service constant:1"), 0.99);
  EXPECT_EQ(pi("batch --service constant:1 --trigger never"), 0);
  EXPECT_FALSE(metrics_of("batch --balancer none").contains("normalised_performance"));
  // Nothing that arrives for ever has a makespan.
  EXPECT_FALSE(metrics_of("hot-spot --horizon 50").contains("normalised_performance"));
}

TEST(simulate_command, nodes_may_differ_in_speed) {
  const auto with = [](const std::string& arguments) {
    return evencube(
        words("simulate batch --topology cube:2 --service constant:1 --json " + arguments));
  };
  const auto makespan = [](const outcome& of) {
    return of.as_json().at("metrics").at("makespan").at("mean").get<double>();
  };
  // 128 tasks: 64 each, or 96 and 32.
  EXPECT_NEAR(makespan(with("--capacities 1,1")), 64, 0.2);
  EXPECT_NEAR(makespan(with("--capacities 3,1")), 32, 0.2);
  EXPECT_EQ(with("--capacities 3,1 --balancer diffusion").status, 2);
  EXPECT_EQ(with("--capacities 3").status, 2);
}

TEST(simulate_command, gives_the_same_hash_on_any_number_of_threads) {
  std::vector<std::string> arguments{"simulate",       "hot-spot", "--horizon", "100",
                                     "--replications", "6",        "--json",    "--threads"};
  std::set<std::string> hashes;
  for (const char* threads : {"1", "2", "2"}) {
    auto with = arguments;
    with.emplace_back(threads);
    const auto result = evencube(with);
    ASSERT_EQ(result.status, 0) << result.err;
    hashes.insert(result.as_json().at("hash").get<std::string>());
  }
  EXPECT_EQ(hashes.size(), 1U);
}

TEST(simulate_command, json_has_every_metric_with_its_interval) {
  const auto result = evencube({"simulate", "mm1-array", "--topology", "ring:16", "--load", "0.5",
                                "--horizon", "200", "--replications", "3", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_EQ(object.at("nodes"), 16);
  EXPECT_EQ(object.at("finished"), 3);
  EXPECT_EQ(object.at("partial"), false);
  const auto& utilisation = object.at("metrics").at("utilisation");
  EXPECT_NEAR(utilisation.at("mean").get<double>(), 0.5, 0.1);
  EXPECT_GT(utilisation.at("half_width").get<double>(), 0);
  for (const char* metric : {"makespan", "speedup", "mean_response", "idle", "messages", "t_comm",
                             "stabilised", "worst_difference"}) {
    EXPECT_TRUE(object.at("metrics").contains(metric)) << metric;
  }
}

TEST(simulate_command, replications_of_loh_draw_their_own_loads) {
  const auto without =
      evencube(words("simulate loh-unstable --balancer none --replications 4 --json"));
  ASSERT_EQ(without.status, 0) << without.err;
  const auto makespan = without.as_json().at("metrics").at("makespan");
  // The heaviest node's weight differs by more than the tasks' times could.
  EXPECT_GT(makespan.at("maximum").get<double>(), 1.05 * makespan.at("minimum").get<double>());
}

TEST(simulate_command, takes_the_index_of_prediction_and_what_tasks_pay_on_their_way) {
  const auto pi = [](const std::string& arguments) {
    const auto result = evencube(words("simulate " + arguments + " --replications 3 --json"));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("metrics").at("normalised_performance").at("mean").get<double>();
  };
  const std::string pred = "loh-unstable --balancer prediction --balancer-option index=";
  EXPECT_GT(pi(pred + "predicted"), pi(pred + "printed"));
  const std::string fitted = "loh-unstable-fitted --balancer dispatcher --topology linear:16";
  EXPECT_GT(pi(fitted), pi(fitted + " --relay 0.2"));
  EXPECT_GT(pi("loh-unstable-fitted --balancer gradient"), 0);
}

TEST(simulate_command, options_replace_what_the_preset_says) {
  const auto result = evencube({"simulate", "batch", "--topology", "mesh:4x4", "--balancer",
                                "diffusion", "--service", "constant:1", "--trigger", "period:0.5",
                                "--running", "--transmission", "pipelined", "--json"});
  ASSERT_EQ(result.status, 0) << result.err;
  const auto object = result.as_json();
  EXPECT_EQ(object.at("balancer"), "diffusion");
  EXPECT_GT(object.at("metrics").at("rounds").at("mean").get<double>(), 1);
  EXPECT_EQ(object.at("metrics").at("completed").at("mean"), 1024);
}

// 128 tasks of 1 s on one of two ranks, for a thousandth of a second each between them: 64 cross.
TEST(simulate_command, nodes_may_be_the_workers_of_ranks) {
  const auto stabilised = [](const std::string& more) {
    const auto result = evencube(
        words("simulate batch --topology hypercube:1 --balancer dem --per-quantum 0 --latency 0 "
              "--json" +
              more));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("metrics").at("stabilised").at("mean").get<double>();
  };
  EXPECT_EQ(stabilised(""), 0);
  EXPECT_EQ(stabilised(" --ranks 1 --rank-latency 0.5"), 0);
  EXPECT_DOUBLE_EQ(
      stabilised(" --ranks 2 --rank-latency 0.5 --rank-bandwidth 1e6 --task-bytes 1000"),
      0.5 + 64 * 0.001);
}

// Only a held round counts the time of its transfers as overhead of all nodes.
TEST(simulate_command, flags_not_given_leave_the_presets_own) {
  const auto overhead = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"simulate", "batch", "--json"});
    const auto result = evencube(more);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.as_json().at("metrics").at("overhead").at("mean").get<double>();
  };
  const double usual = overhead({});
  EXPECT_GT(usual, 0);
  EXPECT_EQ(overhead({"--held"}), usual);
  EXPECT_EQ(overhead({"--running"}), 0);
}

TEST(simulate_command, says_beforehand_what_takes_long_and_refuses_what_takes_hours) {
  for (const auto& [arguments, told] : std::initializer_list<std::pair<const char*, const char*>>{
           {"hot-spot --trigger period:1e-8", "--long"},
           {"hot-spot --sample 1e-9", "--long"},
           {"mm1-array --topology hypercube:16 --horizon 1000000", "hours"},
           {"rim-queueing --replications 1000000", "1000000 runs"},
           {"batch --trigger period:1e-300", "--trigger 1e-300: too short"},
           {"hot-spot --trigger utilisation:1e-300,0.5", "--trigger 1e-300: too short"},
           {"hot-spot --sample 1e-300 --long", "--sample 1e-300: too short"}}) {
    const auto result = evencube(words(std::string("simulate --threads 1 ") + arguments));
    EXPECT_EQ(result.status, 2) << arguments;
    EXPECT_EQ(result.out, "") << arguments;
    EXPECT_THAT(result.err, HasSubstr(told)) << arguments;
  }
  const auto short_one = evencube({"simulate", "batch"});
  EXPECT_EQ(short_one.status, 0);
  EXPECT_EQ(short_one.err, "");
}

TEST(simulate_command, refuses_bad_usage_with_the_value) {
  const std::vector<std::pair<std::vector<std::string>, const char*>> cases{
      {{"simulate", "mm2"}, "mm2"},
      {{"simulate", "batch", "--topology", "blob:3"}, "blob"},
      {{"simulate", "batch", "--balancer", "magic"}, "magic"},
      {{"simulate", "batch", "--service", "normal:1"}, "normal:1"},
      {{"simulate", "batch", "--trigger", "often"}, "often"},
      {{"simulate", "batch", "--trigger", "threshold:1,1e300"}, "threshold:1,1e300"},
      {{"simulate", "batch", "--trigger", "threshold:-1,5"}, "at least 0"},
      {{"simulate", "batch", "--information", "rumours"}, "rumours"},
      {{"simulate", "batch", "--information", "proximity"}, "proximity:LOAD"},
      {{"simulate", "batch", "--information", "proximity:-1"}, "-1"},
      {{"simulate", "batch", "--relay", "-1"}, "relay"},
      {{"simulate", "batch", "--relay", "1"}, "held round"},
      {{"simulate", "batch", "--latency", "-1"}, "latency"},
      {{"simulate", "mm1-array", "--service", "pareto:1,0.5"}, "pareto:1,0.5"},
      {{"simulate", "batch", "--replications", "0"}, "replications"},
      {{"simulate", "mm1-array", "--load", "nan"}, "--load \"nan\""},
      {{"simulate", "mm1-array", "--load", "0"}, "above 0"},
      {{"simulate", "batch", "--load", "0.5"}, "so --load is not allowed"},
      {{"simulate", "fork-join", "--service", "constant:1"}, "so --service is not allowed"},
      {{"simulate", "batch", "--horizon", "nan"}, "--horizon \"nan\""},
      {{"simulate", "batch", "--latency", "1e308"}, "1e100"},
      {{"simulate", "batch", "--topology", "cube:4", "--service", "pareto:1,0.001"},
       "pareto:1,0.001 gave for node"},
      {{"simulate", "mm1-array", "--load", "1e9"}, "2e+12 arrivals"},
      {{"simulate", "mm1-array", "--horizon", "1e10"}, "7e+09 arrivals"},
      {{"simulate", "mm1-array", "--topology", "cube:2", "--load", "1000", "--max-tasks", "1000"},
       "more than 1000 tasks wait"},
      {{"simulate", "batch", "--max-tasks", "0"}, "--max-tasks \"0\""},
      {{"simulate", "batch", "--topology", ""}, "--topology: the value is empty"},
      {{"simulate", "batch", "--balancer", ""}, "--balancer: the value is empty"},
      {{"simulate", "batch", "--machine", ""}, "--machine: the value is empty"},
      {{"simulate", "batch", "--capacities", ""}, "--capacities: the value is empty"},
      {{"simulate", "batch", "--machine", "."}, "--machine \".\": it is a folder"},
      {{"simulate", "batch", "--machine", "/nowhere"}, "No such file or directory"},
      {{"simulate", "batch", "--machine", "/dev/zero"}, "it is not a regular file"},
      {{"simulate", ""}, "preset: the value is empty"},
      {{"simulate", "batch", "--seed", "-1"}, "--seed \"-1\""},
      {{"simulate", "batch", "--threads", ""}, "--threads: the value is empty"},
      {{"simulate", "batch", "--threads", "1025"}, "0 to 1024"},
      {{"simulate", "batch", "--ranks", "8"},
       "the latency and the bandwidth between ranks are unknown"},
      {{"simulate", "batch", "--ranks", "5", "--rank-latency", "1"},
       "must divide the 64 nodes evenly"},
      {{"simulate", "batch", "--ranks", "0"}, "--ranks \"0\""},
      {{"simulate", "batch", "--task-bytes", "8"}, "--task-bytes needs --ranks"},
      {{"simulate", "batch", "--ranks", "8", "--rank-latency", "1", "--task-bytes", "8"},
       "--task-bytes needs the time per byte"},
      {{"simulate", "batch", "--rank-latency", "8"}, "--rank-latency needs --ranks"},
      {{"simulate", "batch", "--rank-bandwidth", "8"}, "--rank-bandwidth needs --ranks"},
      {{"simulate", "batch", "--cluster"}, "--calibrate"},
      {{"simulate", "--load", "0.5"}, "give a preset, or leave out --load"},
      {{"simulate", "--calibrate", "batch"}, "leave out the preset batch"},
      {{"simulate", "--calibrate", "--machine", "loh"}, "leave out --machine"},
      {{"simulate", "--calibrate", "--load", "0.5"}, "leave out --load"},
      {{"simulate", "--calibrate", "--seed", "1"}, "leave out --seed"},
      {{"simulate", "--calibrate", "--running"}, "leave out --running"},
      {{"simulate", "batch", "--gap", "1"}, "--gap needs a --trigger"},
      {{"simulate", "--calibrate", "--output", "/nowhere/x.json"}, "/nowhere/x.json"}};
  for (const auto& [arguments, named] : cases) {
    const auto result = evencube(arguments);
    EXPECT_EQ(result.status, 2) << arguments.back();
    EXPECT_THAT(result.err, HasSubstr(named));
    EXPECT_EQ(result.out, "");
  }
}

// Without one nothing moves, and no message is sent.
TEST(simulate_command, refuses_options_of_a_balancing_without_a_balancer) {
  for (const std::string given :
       {"--trigger idle", "--gap 1", "--information free", "--relay 1", "--transmission direct",
        "--held", "--running", "--by-node", "--latency 1", "--per-quantum 1", "--one-port",
        "--ranks 8 --rank-latency 1", "--machine loh", "--balancer-option order=low"}) {
    const auto result = evencube(words("simulate batch --balancer none " + given));
    EXPECT_EQ(result.status, 2) << given;
    EXPECT_THAT(result.err, HasSubstr(given.substr(0, given.find(' ')) + " needs a balancer"));
    EXPECT_EQ(result.out, "");
  }
}

// `timeout` sends the signal twice, to its child and to its own group, and means one.
TEST(simulate_command, an_interrupted_run_keeps_what_it_has) {
  for (const auto& [signal, status] : {std::pair{"INT", 130}, {"TERM", 143}, {"HUP", 129}}) {
    const auto result =
        shell(std::string("timeout --preserve-status -s ") + signal +
              " 3 \"$0\" simulate mm1-array --horizon 10000000 --replications 3 --json");
    ASSERT_EQ(result.status, status) << result.err;
    const auto object = result.as_json();
    EXPECT_EQ(object.at("partial"), true);
    EXPECT_EQ(object.at("finished"), 0);
    EXPECT_GT(object.at("metrics").at("completed").at("mean").get<double>(), 0);
  }
}

TEST(simulate_command, that_is_not_to_hear_of_hang_ups_does_not) {
  const auto result = shell(
      "trap '' HUP; \"$0\" simulate mm1-array --horizon 20000 --json & sleep 0.2; "
      "kill -HUP $!; wait $!");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(result.as_json().at("partial"), false);
}

}  // namespace
}  // namespace evencube::cli::testing
