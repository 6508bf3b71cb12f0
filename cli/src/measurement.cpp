#include "measurement.hpp"

#include <algorithm>

namespace evencube::cli {

double time_serial(workloads::workload& work) {
  return seconds_of([&] { work.run_serial(); });
}

sample run_once(workloads::workload& work, runtime& workers, bool verify, bool record) {
  work.reset();
  if (record) {
    workers.start_recording();
  }
  workers.reset_stats();
  sample result;
  result.seconds = seconds_of([&] { work.run(workers); });
  result.counters = workers.stats();
  if (record) {
    result.take = workers.stop_recording();
  }
  result.tasks = work.tasks();
  if (verify) {
    result.check = work.verify();
  }
  return result;
}

double finished_share(const runtime& workers, std::uint64_t tasks) {
  std::uint64_t finished = 0;
  for (const auto& worker : workers.stats().workers) {
    finished += worker.executed;
  }
  return tasks == 0 ? 0 : static_cast<double>(finished) / static_cast<double>(tasks);
}

sample median_sample(std::vector<sample> samples) {
  const auto failed = std::ranges::find_if(
      samples, [](const sample& one) { return one.check && !one.check->passed; });
  const auto failure = failed == samples.end() ? std::nullopt : failed->check;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>((samples.size() - 1) / 2);
  std::ranges::nth_element(samples, middle, {}, &sample::seconds);
  auto median = std::move(*middle);
  if (failure) {
    median.check = failure;
  }
  return median;
}

double median_time(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

}  // namespace evencube::cli
