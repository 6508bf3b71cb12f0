// What evencube speedup says of times that are given: every case by itself, whatever this machine
// does.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <regex>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "failure.hpp"
#include "live_view.hpp"
#include "serial_copies.hpp"
#include "speedup.hpp"
#include "speedup_meaning.hpp"
#include "speedup_plot.hpp"
#include "speedup_report.hpp"
#include "starting_line.hpp"
#include "svg_drawing.hpp"

namespace evencube::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

speedup_point point(unsigned workers, double speedup, double limit) {
  speedup_point made;
  made.workers = workers;
  made.seconds = {1 / speedup};
  made.copies_seconds = {workers / limit};
  made.speedup = {speedup, speedup, speedup};
  made.limit = {limit, limit, limit};
  made.efficiency = speedup / workers;
  made.of_limit = speedup / limit;
  for (unsigned unit = 0; unit < workers; ++unit) made.units.push_back(unit);
  if (workers > 1) {
    made.serial_fraction = karp_flatt(speedup, workers);
    made.serial_fraction_of_limit = karp_flatt(limit, workers);
  }
  return made;
}

/// On a machine that has room for all.
speedup_report report_of(const std::vector<std::pair<unsigned, double>>& speedups) {
  speedup_report made;
  made.workload = "edges";
  made.placement = "spread";
  made.serial_seconds = {1};
  for (const auto& [workers, speedup] : speedups) {
    made.points.push_back(point(workers, speedup, workers));
  }
  return made;
}

/// Of serial fractions, by Amdahl's law.
speedup_report fractions(const std::vector<std::pair<unsigned, double>>& parts) {
  std::vector<std::pair<unsigned, double>> speedups;
  for (const auto& [workers, part] : parts) speedups.emplace_back(workers, amdahl(part, workers));
  return report_of(speedups);
}

TEST(speedup_meaning, of_one_worker_is_nothing) {
  const auto report = report_of({{1, 0.9}});
  EXPECT_EQ(scaling_of(report.points), scaling::alone);
  EXPECT_TRUE(forecasts_of(report).empty());
}

TEST(speedup_meaning, of_hardly_anything_serial) {
  const auto report = fractions({{1, 0}, {2, 0.004}, {4, 0.005}});
  EXPECT_EQ(scaling_of(report.points), scaling::none);
  EXPECT_THAT(meaning_of(report), HasSubstr("Almost nothing is serial"));
}

TEST(speedup_meaning, of_a_machine_that_gives_no_more) {
  auto report = report_of({{1, 1}});
  report.points.push_back(point(4, 2, 2));
  EXPECT_EQ(scaling_of(report.points), scaling::machine);
  EXPECT_THAT(meaning_of(report), HasSubstr("33.3 % of the work counts as serial"));
  // Two workers on one unit: no part of the work is more than all of it.
  report.points.back() = point(2, 0.99, 0.99);
  EXPECT_EQ(scaling_of(report.points), scaling::machine);
  EXPECT_THAT(meaning_of(report), AllOf(HasSubstr("the machine"), Not(HasSubstr("%"))));
  // Faster than one, where the copies are not.
  report.points.back() = point(4, 1.2, 0.9);
  EXPECT_EQ(scaling_of(report.points), scaling::machine);
  EXPECT_THAT(
      meaning_of(report),
      AllOf(HasSubstr("77.8 % of the work"), HasSubstr("no more work than one"),
            HasSubstr("the machine"), Not(HasSubstr("no faster")), Not(HasSubstr("114.8"))));
}

TEST(speedup_meaning, of_a_serial_part) {
  const auto report = fractions({{1, 0}, {2, 0.24}, {4, 0.26}, {8, 0.25}});
  EXPECT_EQ(scaling_of(report.points), scaling::constant);
  EXPECT_THAT(meaning_of(report),
              AllOf(HasSubstr("On any number of workers"), HasSubstr("no speed-up exceeds 4.0")));
}

TEST(speedup_meaning, of_overhead_that_grows) {
  const auto report = fractions({{2, 0.02}, {4, 0.05}, {8, 0.2}});
  EXPECT_EQ(scaling_of(report.points), scaling::growing);
  EXPECT_THAT(meaning_of(report), HasSubstr("grows with the workers, to 20.0 %"));
}

TEST(speedup_meaning, of_fractions_that_fall_or_jump_is_no_serial_part) {
  for (const auto& parts :
       {std::vector<std::pair<unsigned, double>>{{2, 0.9}, {4, 0.12}},
        std::vector<std::pair<unsigned, double>>{{2, 0.12}, {3, 0.9}, {4, 0.12}},
        std::vector<std::pair<unsigned, double>>{{2, 0.12}, {3, 0.9}, {4, 0.2}}}) {
    const auto report = fractions(parts);
    EXPECT_EQ(scaling_of(report.points), scaling::unclear);
    EXPECT_THAT(meaning_of(report),
                AllOf(HasSubstr("varies from 0.12 to 0.90"), Not(HasSubstr("any number"))));
  }
}

TEST(speedup_meaning, of_one_number_of_workers) {
  const auto report = fractions({{4, 0.3}});
  EXPECT_EQ(scaling_of(report.points), scaling::single);
  EXPECT_THAT(meaning_of(report), HasSubstr("a second number of workers would show"));
}

TEST(speedup_meaning, of_more_than_everything_is_that_it_is_slower) {
  for (const auto& speedups :
       {std::vector<std::pair<unsigned, double>>{{2, 0.92}},
        std::vector<std::pair<unsigned, double>>{{1, 1}, {2, 1.5}, {4, 0.92}},
        std::vector<std::pair<unsigned, double>>{{2, 1}}}) {
    const auto report = report_of(speedups);
    EXPECT_EQ(scaling_of(report.points), scaling::slower);
    EXPECT_THAT(meaning_of(report), AllOf(HasSubstr("no faster than the serial twin"),
                                          HasSubstr("too small"), Not(HasSubstr("%"))));
    EXPECT_TRUE(forecasts_of(report).empty());
    EXPECT_THAT(to_text(report), Not(HasSubstr("Forecast")));
  }
}

/// Of a weak scaling, by Gustafson's law, on a machine that has room for all.
speedup_report weak_fractions(const std::vector<std::pair<unsigned, double>>& parts) {
  std::vector<std::pair<unsigned, double>> speedups;
  for (const auto& [workers, part] : parts) {
    speedups.emplace_back(workers, gustafson_speedup(part, workers));
  }
  auto report = report_of(speedups);
  report.weak = true;
  report.growth = "there is more of it";
  for (speedup_point& one : report.points) {
    one.problem = "much";
    one.grown_serial_seconds = {1};
    if (one.workers == 1) continue;
    one.gustafson_fraction = gustafson(one.speedup.median, one.workers);
    one.gustafson_fraction_of_limit = gustafson(one.limit.median, one.workers);
  }
  return report;
}

TEST(weak_scaling, fractions_are_those_of_the_laws) {
  // Half of the parallel time alone on 4 workers: 0.5 + 0.5 * 4 times the work.
  EXPECT_DOUBLE_EQ(gustafson_speedup(0.5, 4), 2.5);
  EXPECT_DOUBLE_EQ(gustafson(2.5, 4), 0.5);
  // The same seconds as a share of the serial time.
  EXPECT_DOUBLE_EQ(karp_flatt(2.5, 4), 0.5 / 2.5);
}

TEST(weak_scaling, means_another_thing_for_each_course_of_the_fraction) {
  const auto constant = weak_fractions({{1, 0}, {2, 0.2}, {4, 0.21}, {8, 0.2}});
  EXPECT_EQ(weak_scaling_of(constant.points), scaling::constant);
  // By the Karp-Flatt metric the same times are no constant part: it falls.
  EXPECT_NE(scaling_of(constant.points), scaling::constant);
  EXPECT_THAT(meaning_of(constant), AllOf(HasSubstr("20.0 % of the parallel time"),
                                          HasSubstr("grows with the problem"), HasSubstr("0.80")));
  EXPECT_THAT(meaning_of(weak_fractions({{2, 0.02}, {4, 0.05}, {8, 0.3}})),
              HasSubstr("grows with the workers, to 30.0 %"));
  EXPECT_THAT(meaning_of(weak_fractions({{2, 0.001}, {4, 0.004}})),
              HasSubstr("Almost nothing is serial"));
  EXPECT_THAT(meaning_of(weak_fractions({{4, 0.3}})),
              HasSubstr("a second number of workers would show"));
  EXPECT_THAT(meaning_of(weak_fractions({{2, 1.1}})), HasSubstr("no faster than one"));
  EXPECT_THAT(meaning_of(weak_fractions({{2, 0.1}, {3, 0.9}, {4, 0.1}})),
              HasSubstr("from 0.10 to 0.90"));
  auto machine = weak_fractions({{1, 0}, {4, 0.4}});
  machine.points[1].gustafson_fraction_of_limit = 0.395;
  EXPECT_THAT(meaning_of(machine), HasSubstr("the machine"));
  EXPECT_THAT(meaning_of(weak_fractions({{1, 0}})), HasSubstr("single worker"));
}

TEST(weak_scaling, forecasts_by_its_own_law) {
  const auto report = weak_fractions({{2, 0.2}, {4, 0.2}});
  const auto made = forecasts_of(report);
  ASSERT_EQ(made.size(), 2U);
  EXPECT_DOUBLE_EQ(made[0].speedup, 8 - 0.2 * 7);
  EXPECT_DOUBLE_EQ(made[1].speedup, 16 - 0.2 * 15);
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("Gustafson's law"), Not(HasSubstr("Amdahl"))));
  EXPECT_THAT(speedup_plot(report),
              AllOf(HasSubstr("Gustafson's law"), HasSubstr("scaled speed-up")));
}

TEST(speedup_forecasts, follow_the_last_fraction_where_it_is_one) {
  const auto made = forecasts_of(fractions({{2, 0.5}, {4, 0.25}}));
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0].workers, 8U);
  EXPECT_DOUBLE_EQ(made[0].speedup, 1 / (0.25 + 0.75 / 8));
  EXPECT_EQ(made[1].workers, 16U);
  EXPECT_TRUE(forecasts_of(report_of({{4, 4.1}})).empty());
}

TEST(speedup_remarks, tell_of_units_that_are_shared) {
  auto report = fractions({{1, 0}, {4, 0.1}});
  EXPECT_EQ(remarks_on(report), "");
  report.points[1].units = {0, 1, 0, 1};
  EXPECT_EQ(remarks_on(report), "4 workers share 2 units.\n");
  report.workload = "spin";
  EXPECT_THAT(to_text(report), HasSubstr("4 workers share 2 units. The tasks of spin end by the"));
}

TEST(speedup_remarks, tell_of_speedups_above_the_limit) {
  auto report = report_of({{1, 1}});
  report.points.push_back(point(4, 3, 2.5));
  EXPECT_THAT(remarks_on(report),
              HasSubstr("4 workers: 20.0 % above the limit. The copies "
                        "reached a speed-up of 2.50. They hold their data 4 times"));
  report.serial_seconds = {1, 1};
  report.points[1].limit = {2.5, 2.4, 2.6};
  EXPECT_THAT(remarks_on(report), HasSubstr("reached a speed-up of 2.40 to 2.60 in different"));
}

TEST(speedup_text, has_no_range_of_one_round) {
  auto report = fractions({{1, 0}, {4, 0.1}});
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("one round"), Not(HasSubstr(" to ")),
                                     Not(HasSubstr("from .. to")), Not(HasSubstr("1 rounds"))));
  EXPECT_THAT(speedup_plot(report), AllOf(HasSubstr("one round</text>"), Not(HasSubstr("bars"))));
  report.serial_seconds = {1, 1};
  for (speedup_point& one : report.points) one.seconds.push_back(one.seconds.front());
  EXPECT_THAT(to_text(report), AllOf(HasSubstr("from .. to"), HasSubstr("medians of 2 rounds")));
}

/// The ends of the first line of this colour.
std::pair<std::pair<double, double>, std::pair<double, double>> ends_of(const std::string& picture,
                                                                        const std::string& colour) {
  const std::regex line("<polyline points=\"([0-9.]+),([0-9.]+)[^\"]* ([0-9.]+),([0-9.]+) \"[^>]*" +
                        colour);
  std::smatch found;
  if (!std::regex_search(picture, found, line)) return {};
  return {{std::stod(found[1]), std::stod(found[2])}, {std::stod(found[3]), std::stod(found[4])}};
}

TEST(speedup_picture, has_the_ideal_as_a_line_from_corner_to_corner) {
  const std::string picture = speedup_plot(fractions({{1, 0}, {2, 0.1}, {8, 0.1}}));
  const auto [from, to] = ends_of(picture, "#c2cad3");
  EXPECT_DOUBLE_EQ(from.first, 60);
  EXPECT_DOUBLE_EQ(from.second, 390);
  EXPECT_DOUBLE_EQ(to.first, 560);
  EXPECT_DOUBLE_EQ(to.second, 70);
}

TEST(speedup_picture, shows_the_engines_that_were_asked_for) {
  auto report = fractions({{1, 0}, {4, 0.1}});
  for (speedup_point& one : report.points) {
    one.others = {{.engine = "tbb", .seconds = {1}, .speedup = {0.4, 0.4, 0.4}, .over_own = {}},
                  {.engine = "openmp", .seconds = {1}, .speedup = {2, 2, 2}, .over_own = {}}};
  }
  const std::string picture = speedup_plot(report);
  EXPECT_THAT(picture, AllOf(HasSubstr(">EvenCube</text>"), HasSubstr(">tbb</text>"),
                             HasSubstr(">openmp</text>"), Not(HasSubstr(">measured<"))));
  EXPECT_THAT(picture, AllOf(HasSubstr("<title>tbb, 1 worker: 0.40"),
                             HasSubstr("<title>openmp, 4 workers: 2.00")));
  EXPECT_THAT(picture, HasSubstr(">1/4</text>"));  // room below 1
  EXPECT_THAT(picture, Not(HasSubstr("nan")));
}

TEST(speedup_picture, shows_the_limit_of_one_number_of_workers) {
  const std::string picture = speedup_plot(fractions({{2, 0.1}}));
  std::size_t marks = 0;
  for (auto at = picture.find("<title>the machine's limit"); at != std::string::npos;
       at = picture.find("<title>the machine's limit", at + 1)) {
    ++marks;
  }
  EXPECT_EQ(marks, 2U);
  // Below the axes no curve comes.
  const auto entry = picture.find(">measured</text>");
  ASSERT_NE(entry, std::string::npos);
  const auto y = picture.rfind(" y=\"", entry) + 4;
  EXPECT_GT(std::stod(picture.substr(y)), 410);
}

TEST(svg_drawing, is_xml_whatever_its_texts_are) {
  svg_drawing drawing;
  drawing.text({0, 0}, "a<b & \x01\x7f\xc2\x85\xff\xef\xbf\xbe\xef\xbf\xbf\n", {});
  drawing.box({0, 0}, 1, 1, "#ffffff", "\xef\xbf\xbf>");
  const std::string picture = drawing.to_string(10, 10, "\xef\xbf\xbe");
  EXPECT_THAT(picture, HasSubstr(">a&lt;b &amp; \\x01\\x7f\\xc2\\x85\\xff\xef\xbf\xbd\xef\xbf\xbd"
                                 "\\x0a</text>"));
  EXPECT_THAT(picture, HasSubstr("<title>\xef\xbf\xbd&gt;</title>"));
  EXPECT_THAT(picture, HasSubstr("<title>\xef\xbf\xbd</title>"));
}

live_sample sample_of(unsigned workers) {
  live_sample made;
  made.seconds = 0.5;
  for (unsigned k = 0; k < workers; ++k) {
    made.counters.workers.push_back({.executed = 10 * (k + 1), .busy_seconds = 0.25});
    made.loads.push_back(k);
  }
  made.counters.moved_by_dimension = {7, 0};
  return made;
}

TEST(live_text, has_a_line_for_each_worker) {
  const auto lines = live_lines(sample_of(3), "spin", 1.5, {80, 24});
  ASSERT_EQ(lines.size(), 6U);
  EXPECT_EQ(lines[0], "spin  1.5 s  120 tasks/s  50.0 % busy");
  EXPECT_EQ(lines[4], "       2          2   50.0 % ##########..........           60");
  EXPECT_EQ(lines[5], "tasks moved over dimension 0: 7, 1: 0");
}

TEST(live_text, fits_the_screen) {
  for (const screen_size screen : {screen_size{80, 10}, screen_size{30, 5}, screen_size{1, 1}}) {
    const auto lines = live_lines(sample_of(100), "a long name of a stage", 1.5, screen);
    EXPECT_LT(lines.size(), std::max<std::size_t>(screen.rows, 6));
    for (const std::string& line : lines) EXPECT_LE(line.size(), screen.columns);
  }
  // Of 100 workers 5 for themselves; the others have 5 + ... + 99 quanta.
  const auto lines = live_lines(sample_of(100), "spin", 1.5, {80, 10});
  EXPECT_THAT(lines[7], AllOf(HasSubstr("95 more"), HasSubstr(" 4940 "), HasSubstr("50.0 %")));
}

TEST(live_text, is_one_line_elsewhere) {
  EXPECT_EQ(
      live_line(sample_of(2), "spin", 1.5),
      "spin 1.5 s: 60 tasks/s, 50.0 % busy; worker 0: load 0, 50.0 % busy, 20 tasks/s; worker "
      "1: load 1, 50.0 % busy, 40 tasks/s; moved over dimension 0: 7, 1: 0");
  auto alone = sample_of(1);
  alone.counters.moved_by_dimension.clear();
  EXPECT_EQ(live_line(alone, "spin", 0),
            "spin 0.0 s: 20 tasks/s, 50.0 % busy; worker 0: load 0, "
            "50.0 % busy, 20 tasks/s");
}

TEST(starting_line, lets_nobody_go_before_all_are_there) {
  starting_line line;
  for (int race = 0; race < 2; ++race) {
    line.reset();
    constexpr std::size_t count = 3;
    std::array<starting_line::clock::time_point, count> here;
    std::array<starting_line::clock::time_point, count> gone;
    std::vector<std::jthread> runners;
    for (std::size_t i = 0; i < count; ++i) {
      runners.emplace_back([&, i] {
        // A start that waits for nobody comes before this.
        std::this_thread::sleep_for(std::chrono::milliseconds{20 * i});
        here[i] = starting_line::clock::now();
        line.wait();
        gone[i] = starting_line::clock::now();
      });
    }
    const auto start = line.start(count);
    runners.clear();
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_LE(here[i], start);
      EXPECT_GE(gone[i], start);
    }
  }
}

/// Counts its runs.
class counted final : public workloads::workload {
 public:
  explicit counted(std::atomic<int>& runs) : runs_{runs} {}
  [[nodiscard]] std::string_view name() const noexcept override { return "counted"; }
  void run_serial() override { ++runs_; }
  void reset() override {}
  void run(runtime& /*workers*/) override {}
  void run_by(const workloads::task_loop& /*loop*/, unsigned /*threads*/) override {}
  [[nodiscard]] std::string problem() const override { return "nothing"; }
  [[nodiscard]] std::uint64_t tasks() const noexcept override { return 0; }
  [[nodiscard]] workloads::verification verify() const override { return {true, ""}; }

 private:
  std::atomic<int>& runs_;
};

/// The units that the calling thread may run on.
std::vector<unsigned> allowed_units() {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  EXPECT_EQ(sched_getaffinity(0, sizeof mask, &mask), 0);
  std::vector<unsigned> units;
  for (unsigned unit = 0; unit < CPU_SETSIZE; ++unit) {
    if (CPU_ISSET(unit, &mask)) units.push_back(unit);
  }
  return units;
}

TEST(serial_copies, run_once_untimed_before_they_are_timed) {
  std::atomic<int> runs_of_first{0};
  std::atomic<int> runs{0};
  int made = 0;
  counted first{runs_of_first};
  serial_copies copies{first, [&]() -> std::unique_ptr<workloads::workload> {
                         ++made;
                         return std::make_unique<counted>(runs);
                       }};
  const std::vector<unsigned> three(3, allowed_units().back());
  const std::span alone{three.data(), 1};
  EXPECT_GE(copies.time(alone), 0);
  EXPECT_EQ(runs_of_first, 2);
  EXPECT_GE(copies.time(alone), 0);
  EXPECT_EQ(runs_of_first, 3);
  EXPECT_EQ(made, 0);
  EXPECT_GE(copies.time(three), 0);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(runs, 4);
  EXPECT_GE(copies.time(three), 0);
  EXPECT_EQ(made, 2);
  EXPECT_EQ(runs, 6);
}

TEST(serial_copies, are_made_on_the_unit_where_they_run) {
  std::atomic<int> runs{0};
  counted first{runs};
  const auto before = allowed_units();
  std::vector<std::vector<unsigned>> made_on;
  std::vector<std::thread::id> made_by;
  serial_copies copies{first, [&]() -> std::unique_ptr<workloads::workload> {
                         made_on.push_back(allowed_units());
                         made_by.push_back(std::this_thread::get_id());
                         return std::make_unique<counted>(runs);
                       }};
  const std::vector<unsigned> units{before.front(), before.back(), before.front()};
  EXPECT_GE(copies.time(units), 0);
  EXPECT_EQ(made_on, (std::vector<std::vector<unsigned>>{{before.back()}, {before.front()}}));
  ASSERT_EQ(made_by.size(), 2U);
  EXPECT_NE(made_by[0], std::this_thread::get_id());
  EXPECT_NE(made_by[0], made_by[1]);
  EXPECT_EQ(allowed_units(), before);
}

/// What the refusal to run four copies says.
std::string refusal(const serial_copies::maker& make) {
  std::atomic<int> runs{0};
  counted first{runs};
  serial_copies copies{first, make};
  const std::vector<unsigned> four(4, allowed_units().front());
  try {
    static_cast<void>(copies.time(four));
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "accepted";
}

TEST(serial_copies, name_the_workers_where_memory_does_not_suffice) {
  EXPECT_EQ(
      refusal([]() -> std::unique_ptr<workloads::workload> { throw std::bad_alloc{}; }),
      "--workers 4, and one copy of the data for each: this needs more memory than is available");
}

TEST(serial_copies, name_the_workers_where_threads_cannot_be_started) {
  // No address space has room for such a stack.
  pthread_attr_t before;
  pthread_attr_t huge;
  ASSERT_EQ(pthread_getattr_default_np(&before), 0);
  ASSERT_EQ(pthread_getattr_default_np(&huge), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&huge, std::size_t{1} << 60), 0);
  ASSERT_EQ(pthread_setattr_default_np(&huge), 0);
  std::atomic<int> runs{0};
  const auto said = refusal([&] { return std::make_unique<counted>(runs); });
  EXPECT_EQ(pthread_setattr_default_np(&before), 0);
  pthread_attr_destroy(&huge);
  pthread_attr_destroy(&before);
  EXPECT_THAT(said, AllOf(HasSubstr("--workers 4: cannot start 4 worker threads: "),
                          HasSubstr("ulimit -v")));
}

}  // namespace
}  // namespace evencube::cli
