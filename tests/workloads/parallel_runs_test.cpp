// Every workload gives the serial twin's result, however its tasks are placed and balanced.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <thread>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/city_picture.hpp>
#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {
namespace {

workload_options small(std::string_view name, placement where) {
  static const std::map<std::string_view, std::map<std::string, option_value, std::less<>>> sizes{
      {"edges", {{"size", 500}, {"tile", 32}}},
      {"heat", {{"size", 100}, {"tile", 16}, {"steps", 40}, {"frames", 3}}},
      {"mandelbrot", {{"size", 70}, {"tile", 16}, {"zoom", 1e6}, {"iterations", 400}}},
      {"matmul", {{"size", 150}, {"tile", 16}}},
      {"nbody", {{"size", 300}, {"tile", 16}, {"steps", 4}}},
      {"pagerank", {{"size", 800}, {"tile", 64}, {"iterations", 12}}},
      {"pathtrace", {{"size", 40}, {"tile", 8}, {"samples", 2}}},
      {"sort", {{"size", 5000}, {"tile", 300}}},
      {"uts", {{"tree", "tiny"}, {"tile", 20}}},
      {"spin", {{"size", 300}, {"task-us", 5.0}}},
  };
  return {.where = where, .values = sizes.at(name)};
}

class every_workload : public ::testing::TestWithParam<std::string> {};

TEST_P(every_workload, verifies_under_each_placement_and_balancer) {
  for (const auto where : all_placements) {
    const auto work = make_workload(GetParam(), small(GetParam(), where));
    EXPECT_EQ(work->name(), GetParam());
    work->run_serial();
    for (const std::string balancer : {"none", "random_stealing", "dem", "oem"}) {
      for (const unsigned workers : {1U, 2U, 5U, 8U}) {
        runtime_options options;
        options.workers = workers;
        options.balancer = balancer;
        options.pin = false;
        runtime engine{options};
        work->reset();
        work->run(engine);
        const auto check = work->verify();
        EXPECT_TRUE(check.passed) << name_of(where) << ", " << balancer << ", " << workers << ": "
                                  << check.detail;
      }
    }
  }
}

TEST_P(every_workload, verifies_when_another_engine_ran_the_tasks) {
  const auto work = make_workload(GetParam(), small(GetParam(), placement::spread));
  work->run_serial();
  // Threads that take the tasks by turns, and a loop that leaves the last one out.
  const task_loop by_threads = [](std::size_t tasks, const auto& task) {
    std::vector<std::jthread> threads;
    for (std::size_t k = 0; k < 3; ++k) {
      threads.emplace_back([&, k] {
        for (std::size_t index = k; index < tasks; index += 3) task(index);
      });
    }
  };
  work->reset();
  work->run_by(by_threads, 3);
  EXPECT_TRUE(work->verify().passed) << work->verify().detail;
  const task_loop careless = [](std::size_t tasks, const auto& task) {
    for (std::size_t index = 0; index + 1 < tasks; ++index) task(index);
  };
  work->reset();
  work->run_by(careless, 1);
  EXPECT_FALSE(work->verify().passed);
}

TEST_P(every_workload, cannot_be_verified_before_it_ran) {
  const auto work = make_workload(GetParam(), small(GetParam(), placement::one));
  work->run_serial();
  EXPECT_THROW(static_cast<void>(work->verify()), std::logic_error);
  runtime engine{{.workers = 2, .pin = false}};
  work->reset();
  work->run(engine);
  EXPECT_TRUE(work->verify().passed);
  work->reset();
  EXPECT_THROW(static_cast<void>(work->verify()), std::logic_error);
}

TEST_P(every_workload, grows_with_the_workers) {
  auto options = small(GetParam(), placement::spread);
  const auto one = make_workload(GetParam(), options);
  const auto& all = registered_workloads();
  const bool grows = !std::find_if(all.begin(), all.end(), [](const workload_entry& entry) {
                        return entry.name == GetParam();
                      })->growth.empty();
  options.times = 3;
  if (!grows) {
    EXPECT_THROW(static_cast<void>(make_workload(GetParam(), options)), std::invalid_argument);
    return;
  }
  const auto three = make_workload(GetParam(), options);
  EXPECT_NE(one->problem(), three->problem());
  EXPECT_GT(three->tasks(), one->tasks());
  for (const std::uint32_t times : {0U, workload_options::max_times + 1}) {
    options.times = times;
    EXPECT_THROW(static_cast<void>(make_workload(GetParam(), options)), std::invalid_argument);
  }
}

std::vector<std::string> names() {
  std::vector<std::string> result;
  for (const auto& entry : registered_workloads()) {
    result.emplace_back(entry.name);
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(registered, every_workload, ::testing::ValuesIn(names()),
                         [](const auto& instance) { return instance.param; });

TEST(edge_detection, parallel_and_serial_results_are_equal_in_every_part) {
  const auto picture = make_city_picture(300, 200, 5);
  for (const std::uint32_t tile : {8U, 50U, 1000U}) {
    edge_settings settings;
    settings.tile = tile;
    edge_result serial;
    detect_edges_serially(picture, settings, serial);
    runtime engine{{.workers = 4, .pin = false}};
    edge_result parallel;
    const auto tasks = detect_edges(engine, picture, settings, parallel);
    EXPECT_TRUE(serial == parallel);
    const auto tiles = cut_into_tiles(300, 200, tile).size();
    EXPECT_GT(tasks, tiles);
    EXPECT_LE(tasks, 2 * tiles);
    EXPECT_FALSE(serial.lines.empty());
  }
}

TEST(edge_detection, does_not_depend_on_the_tiles) {
  const auto picture = make_city_picture(300, 200, 5);
  edge_settings settings;
  edge_result coarse;
  detect_edges_serially(picture, settings, coarse);
  settings.tile = 16;
  edge_result fine;
  detect_edges_serially(picture, settings, fine);
  EXPECT_TRUE(coarse.edges == fine.edges);
  EXPECT_TRUE(coarse.space == fine.space);
  EXPECT_EQ(coarse.lines, fine.lines);
}

TEST(edge_detection, a_result_can_be_used_again_for_another_picture) {
  edge_settings settings;
  edge_result reused;
  detect_edges_serially(make_city_picture(300, 200, 5), settings, reused);
  const auto other = make_city_picture(120, 240, 6);
  detect_edges_serially(other, settings, reused);
  edge_result fresh;
  detect_edges_serially(other, settings, fresh);
  EXPECT_TRUE(reused == fresh);
}

}  // namespace
}  // namespace evencube::workloads
