// Workloads whose tasks carry what they work on give the serial twin's result, in whatever order
// the tasks run and wherever: nothing of the workload but its options is where they do.

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/carried.hpp>
#include <evencube/workloads/city_picture.hpp>
#include <evencube/workloads/edge_detection.hpp>
#include <evencube/workloads/hough.hpp>
#include <evencube/workloads/image_file.hpp>

namespace evencube::workloads {
namespace {

/// Runs the tasks in random order, as if the ones that follow from another ran in `places`; leaves
/// out one result, if asked to.
void run_carried(workload& work, const carried_function& function, unsigned seed, bool careless) {
  std::mt19937 random{seed};
  const auto run = work.run_carried();
  std::vector<task_bytes> sums(3);
  for (unsigned stage = 0; stage < function.stages(); ++stage) {
    struct waiting {
      carried_task task;
      std::optional<std::size_t> place;
    };
    std::vector<waiting> open;
    while (auto task = run->next()) open.push_back({std::move(*task), std::nullopt});
    while (!open.empty()) {
      std::swap(open[random() % open.size()], open.back());
      const waiting one = std::move(open.back());
      open.pop_back();
      auto made = function.run(one.task.argument);
      const auto here = random() % sums.size();
      for (auto& more : made.more) open.push_back({std::move(more), here});
      const bool last = stage + 1 == function.stages();
      if (last && std::exchange(careless, false)) continue;
      if (one.place) {
        function.add(sums[*one.place], made.result);
      } else {
        run->take(made.result);
      }
    }
  }
  for (const auto& sum : sums) {
    if (!sum.empty()) run->take(sum);
  }
  run->end();
}

struct example {
  std::string name;
  std::map<std::string, option_value, std::less<>> values;
};

class every_carried : public ::testing::TestWithParam<example> {};

TEST_P(every_carried, verifies_in_any_order_and_tells_a_result_that_is_missing) {
  const auto& [name, values] = GetParam();
  const workload_options options{.values = values};
  const auto work = make_workload(name, options);
  const auto function = make_carried_function(name, options, 1);
  work->run_serial();
  for (const unsigned seed : {1U, 2U, 3U}) {
    work->reset();
    run_carried(*work, *function, seed, false);
    const auto check = work->verify();
    EXPECT_TRUE(check.passed) << check.detail;
    EXPECT_GT(work->tasks(), 1U);
  }
  work->reset();
  run_carried(*work, *function, 4, true);
  EXPECT_FALSE(work->verify().passed);
  work->reset();
  EXPECT_THROW(static_cast<void>(work->verify()), std::logic_error);
  if (name != "uts") {  // a task of no nodes is one
    EXPECT_THROW(static_cast<void>(function->run({})), std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(
    registered, every_carried,
    ::testing::Values(example{"edges", {{"size", 300}, {"tile", 32}}},
                      example{"edges", {{"size", 101}, {"tile", 100}, {"lines", 0}}},
                      example{"mandelbrot", {{"size", 70}, {"tile", 16}, {"zoom", 1e6}}},
                      example{"matmul", {{"size", 150}, {"tile", 32}}},
                      example{"matmul", {{"size", 70}, {"tile", 32}, {"kernel", "portable"}}},
                      example{"uts", {{"tree", "tiny"}, {"tile", 20}}}));

TEST(carried, folder_of_pictures_with_or_without_a_runtime) {
  const auto folder = std::filesystem::path{::testing::TempDir()} / "carried_folder";
  std::filesystem::create_directory(folder);
  for (const std::uint32_t side : {40U, 70U, 110U}) {
    edge_settings settings;
    edge_result made;
    detect_edges_serially(make_city_picture(side, side + 9, side), settings, made);
    write_png(folder / (std::to_string(side) + ".png"), made.edges);
  }
  const workload_options options{.values = {{"input", folder.string()}, {"tile", 16}}};
  const auto work = make_workload("edges", options);
  const auto function = make_carried_function("edges", options, 1);
  work->run_serial();
  work->reset();
  run_carried(*work, *function, 1, false);
  EXPECT_TRUE(work->verify().passed) << work->verify().detail;
  runtime engine{{.workers = 2, .pin = false}};
  work->reset();
  engine.run([&] { run_carried(*work, *function, 2, false); });
  EXPECT_TRUE(work->verify().passed) << work->verify().detail;
  EXPECT_GT(work->tasks(), 3U);
  work->reset();
  run_carried(*work, *function, 3, true);
  EXPECT_FALSE(work->verify().passed);
  std::filesystem::remove_all(folder);
}

TEST(carried, workloads_that_share_memory_are_refused_by_name) {
  try {
    static_cast<void>(make_carried_function("heat", {}, 1));
    FAIL();
  } catch (const std::invalid_argument& problem) {
    EXPECT_STREQ(problem.what(),
                 "the tasks of heat do not carry what they work on, and share its memory; those "
                 "of these do: edges, mandelbrot, matmul, uts");
  }
  EXPECT_THROW(static_cast<void>(make_workload("heat")->run_carried()), std::logic_error);
  EXPECT_THROW(static_cast<void>(make_carried_function("uts", {.values = {{"tile", 0}}}, 1)),
               std::invalid_argument);
}

TEST(line_voting, votes_for_lines_beyond_the_picture_are_refused) {
  line_space space{10, 10};
  const std::vector<std::uint32_t> votes(3, 1);
  const auto most = space.max_distance();
  add_votes(space, 179, most - 2, votes);
  add_votes(space, 0, -most, votes);
  EXPECT_THROW(add_votes(space, 180, 0, votes), std::out_of_range);
  EXPECT_THROW(add_votes(space, 0, most - 1, votes), std::out_of_range);
  EXPECT_THROW(add_votes(space, 0, -most - 1, votes), std::out_of_range);
}

}  // namespace
}  // namespace evencube::workloads
