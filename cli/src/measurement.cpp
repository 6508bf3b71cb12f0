#include "measurement.hpp"

#include <fmt/core.h>

#include <stdexcept>

namespace evencube::cli {

json to_json(const checked& check) { return check ? json(check->passed) : json(nullptr); }

std::string verdict_on(const checked& check) {
  return !check ? "not verified" : check->passed ? "verified" : "WRONG";
}

std::string check_text(const checked& check) {
  return check ? fmt::format("{}: {}", verdict_on(check), check->detail) : verdict_on(check);
}

void blame(checked& check, const std::string& whom) {
  if (!not_failed(check)) check->detail = fmt::format("by {}: {}", whom, check->detail);
}

void require_good(const checked& check, bool writes) {
  if (not_failed(check)) return;
  throw std::runtime_error{fmt::format("the result is wrong{}: {}",
                                       writes ? ", nothing was written" : "", check->detail)};
}

double time_serial(workloads::workload& work) {
  return seconds_of([&] { work.run_serial(); });
}

sample run_once(workloads::workload& work, runtime& workers, bool verify, bool record) {
  work.reset();
  if (record) workers.start_recording();
  workers.reset_stats();
  sample result;
  result.seconds = seconds_of([&] { work.run(workers); });
  result.counters = workers.stats();
  if (record) result.take = workers.stop_recording();
  result.tasks = work.tasks();
  if (verify) result.check = work.verify();
  return result;
}

double finished_share(const runtime& workers, std::uint64_t tasks) {
  std::uint64_t finished = 0;
  for (const auto& worker : workers.stats().workers) finished += worker.executed;
  return tasks == 0 ? 0 : static_cast<double>(finished) / static_cast<double>(tasks);
}

double median_time(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>((seconds.size() - 1) / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

}  // namespace evencube::cli
