/// What recording a run costs: the same workload on the same runtime with and without it, in pairs
/// that follow each other at once and take turns in who is first, so that whatever the machine does
/// meanwhile hits both alike.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include <evencube/evencube.hpp>
#include <evencube/workloads/workload.hpp>

namespace {

using evencube::workloads::workload;
using evencube::workloads::workload_options;

constexpr double target = 1.03;

struct settings {
  unsigned pairs = 15;
  unsigned workers = 0;
  std::string balancer = "oem";
  bool tiny = false;
  bool json = false;
};

struct subject {
  const char* label;
  const char* name;
  workload_options usual;
  workload_options tiny;
};

std::vector<subject> subjects() {
  return {
      {"edges", "edges", {.values = {{"size", 4096}}}, {.values = {{"size", 300}, {"tile", 64}}}},
      {"matmul", "matmul", {.values = {{"size", 1536}}}, {.values = {{"size", 128}, {"tile", 32}}}},
      {"spin-10us",
       "spin",
       {.values = {{"size", 30'000}, {"task-us", 10.0}}},
       {.values = {{"size", 200}, {"task-us", 10.0}}}}};
}

struct run {
  double seconds = 0;
  double bytes_per_task = 0;
  bool cut = false;
};

/// Neither beginning and ending a recording nor preparing the workload is part of the time.
run run_once(workload& work, evencube::runtime& workers, bool recorded) {
  work.reset();
  if (recorded) workers.start_recording();
  run made;
  const auto start = std::chrono::steady_clock::now();
  work.run(workers);
  made.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (recorded) {
    const evencube::recording take = workers.stop_recording();
    made.bytes_per_task = static_cast<double>(take.bytes) / static_cast<double>(take.tasks.size());
    made.cut = take.cut;
  }
  return made;
}

struct outcome {
  std::string label;
  std::uint64_t tasks = 0;
  std::vector<double> plain;
  std::vector<double> recorded;
  std::vector<double> ratios;
  double bytes_per_task = 0;
};

/// The value below which the share `part` of the sorted values lies.
double quantile(const std::vector<double>& sorted, double part) {
  return sorted[static_cast<std::size_t>(
      std::lround(part * static_cast<double>(sorted.size() - 1)))];
}

outcome measure(const subject& what, evencube::runtime& workers, const settings& how) {
  const auto work =
      evencube::workloads::make_workload(what.name, how.tiny ? what.tiny : what.usual);
  work->run_serial();
  outcome found;
  found.label = what.label;
  std::vector<double> bytes;
  // The first pair warms up and does not count.
  for (unsigned pair = 0; pair <= how.pairs; ++pair) {
    run each[2];
    const bool recorded_first = pair % 2 != 0;
    for (const bool recorded : {recorded_first, !recorded_first}) {
      each[recorded ? 1 : 0] = run_once(*work, workers, recorded);
    }
    if (each[1].cut) throw std::runtime_error(found.label + ": the recording was cut");
    if (pair == 0) continue;
    found.plain.push_back(each[0].seconds);
    found.recorded.push_back(each[1].seconds);
    found.ratios.push_back(each[1].seconds / each[0].seconds);
    bytes.push_back(each[1].bytes_per_task);
  }
  const auto checked = work->verify();
  if (!checked.passed) throw std::runtime_error(found.label + ": " + checked.detail);
  for (auto* values : {&found.plain, &found.recorded, &found.ratios, &bytes}) {
    std::ranges::sort(*values);
  }
  found.tasks = work->tasks();
  found.bytes_per_task = quantile(bytes, 0.5);
  return found;
}

std::string spread(const std::vector<double>& sorted) {
  std::ostringstream text;
  text << "{\"min\":" << sorted.front() << ",\"lower_quartile\":" << quantile(sorted, 0.25)
       << ",\"median\":" << quantile(sorted, 0.5)
       << ",\"upper_quartile\":" << quantile(sorted, 0.75) << ",\"max\":" << sorted.back() << "}";
  return text.str();
}

void print_json(const std::vector<outcome>& all, unsigned workers, const settings& how) {
  std::cout << "{\"benchmark\":\"recording\",\"workers\":" << workers << ",\"balancer\":\""
            << how.balancer << "\",\"pairs\":" << how.pairs << ",\"target_ratio\":" << target
            << ",\"workloads\":[";
  for (const outcome& one : all) {
    std::cout << (&one == &all.front() ? "" : ",") << "{\"workload\":\"" << one.label
              << "\",\"tasks\":" << one.tasks << ",\"plain_seconds\":" << spread(one.plain)
              << ",\"recorded_seconds\":" << spread(one.recorded)
              << ",\"ratio\":" << spread(one.ratios) << ",\"bytes_per_task\":" << one.bytes_per_task
              << "}";
  }
  std::cout << "]}\n";
}

void print_table(const std::vector<outcome>& all, unsigned workers, const settings& how) {
  std::cout << workers << " workers, " << how.balancer << ", " << how.pairs << " pairs\n"
            << "time with recording by time without: min, quartile, median, quartile, max\n";
  for (const outcome& one : all) {
    std::cout << one.label << ": " << one.ratios.front();
    for (const double part : {0.25, 0.5, 0.75, 1.0}) {
      std::cout << ", " << quantile(one.ratios, part);
    }
    std::cout << " (" << one.tasks << " tasks, " << quantile(one.plain, 0.5) * 1e3
              << " ms without, " << one.bytes_per_task << " bytes per task)\n";
  }
  std::cout << "target: a median below " << target << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  settings how;
  CLI::App app("What recording a run costs: pairs of runs with and without it");
  app.add_option("--pairs", how.pairs, "Pairs that count")->check(CLI::Range(9U, 10000U));
  app.add_option("--workers", how.workers, "0: one per processing unit")
      ->check(CLI::Range(0U, evencube::runtime_options::max_workers));
  app.add_option("--balancer", how.balancer, "The strategy");
  app.add_flag("--tiny", how.tiny, "Small sizes: does it work? The times mean nothing");
  app.add_flag("--json", how.json, "Print one JSON object");
  CLI11_PARSE(app, argc, argv);
  try {
    evencube::runtime_options options;
    options.workers = how.workers;
    options.balancer = how.balancer;
    evencube::runtime workers(options);
    std::vector<outcome> all;
    for (const subject& what : subjects()) all.push_back(measure(what, workers, how));
    (how.json ? print_json : print_table)(all, workers.workers(), how);
  } catch (const std::invalid_argument& problem) {
    std::cerr << "recording: " << problem.what() << '\n';
    return 2;
  } catch (const std::exception& problem) {
    std::cerr << "recording: " << problem.what() << '\n';
    return 1;
  }
  return 0;
}
