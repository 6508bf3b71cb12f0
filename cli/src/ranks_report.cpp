#include "ranks_report.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "number_text.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

/// "12.3 MB".
std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> units{"B", "kB", "MB", "GB", "TB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.5 && unit + 1 < units.size()) {
    value /= 1000;
    ++unit;
  }
  return unit == 0 || value >= 99.95 ? fmt::format("{:.0f} {}", value, units[unit])
                                     : fmt::format("{:.3g} {}", value, units[unit]);
}

/// A figure of all ranks.
template <typename Figure>
std::uint64_t sum_of(const ranks_report& report, Figure rank_counters::* figure) {
  std::uint64_t sum = 0;
  for (const auto& rank : report.measured.ranks) sum += rank.*figure;
  return sum;
}

template <typename Figure>
json each(const ranks_report& report, Figure rank_counters::* figure) {
  json all = json::array();
  for (const auto& rank : report.measured.ranks) all.push_back(rank.*figure);
  return all;
}

/// Ranks leave a round one after the other: as many as the one that is ahead has seen.
std::uint64_t rounds_of(const ranks_report& report) {
  std::uint64_t most = 0;
  for (const auto& rank : report.measured.ranks) most = std::max(most, rank.rounds);
  return most;
}

std::string ranks_text(const ranks_report& report) {
  const auto executed = sum_of(report, &rank_counters::executed);
  text_table table{{"rank", "workers", "tasks", "of all", "sent", "received", "messages", "bytes"}};
  for (std::size_t index = 0; index < report.measured.ranks.size(); ++index) {
    const auto& rank = report.measured.ranks[index];
    const double share =
        executed == 0 ? 0 : static_cast<double>(rank.executed) / static_cast<double>(executed);
    table.add_row(index, rank.workers, rank.executed, share_text(share), rank.sent, rank.received,
                  rank.messages, bytes_text(rank.bytes));
  }
  return table.to_string();
}

double efficiency(const ranks_report& report) { return report.speedup() / report.workers(); }

double error_of(const ranks_report& report) {
  return std::abs(report.forecast->seconds - report.measured.seconds) / report.measured.seconds;
}

std::string forecast_text(const ranks_report& report) {
  if (!report.forecast) return {};
  const auto& forecast = *report.forecast;
  return fmt::format(
      "forecast     {} (error {}), with {:.0f} bytes per moved task, {} per message and {} per "
      "megabyte\n",
      duration_text(forecast.seconds), share_text(error_of(report)), forecast.task_bytes,
      duration_text(forecast.link.latency), duration_text(1e6 * forecast.link.per_byte));
}

}  // namespace

std::uint32_t ranks_report::workers() const {
  std::uint32_t sum = 0;
  for (const auto& rank : measured.ranks) sum += rank.workers;
  return sum;
}

double ranks_report::speedup() const { return serial_seconds / measured.seconds; }

double ranks_report::bytes_per_move() const {
  const auto moved = sum_of(*this, &rank_counters::sent);
  return moved == 0 ? 0
                    : static_cast<double>(sum_of(*this, &rank_counters::bytes)) /
                          static_cast<double>(moved);
}

json to_json(const ranks_report& report) {
  const auto& measured = report.measured;
  json object{{"workload", report.workload},
              {"ranks", measured.ranks.size()},
              {"workers", report.workers()},
              {"balancer", report.balancer},
              {"sharing", report.sharing},
              {"transmission", report.transmission},
              {"tasks", measured.tasks},
              {"seconds", measured.seconds},
              {"serial_seconds", report.serial_seconds},
              {"speedup", report.speedup()},
              {"efficiency", efficiency(report)},
              {"verified", to_json(measured.check)},
              {"rounds", rounds_of(report)},
              {"tasks_moved", sum_of(report, &rank_counters::sent)},
              {"messages", sum_of(report, &rank_counters::messages)},
              {"bytes", sum_of(report, &rank_counters::bytes)},
              {"workers_per_rank", each(report, &rank_counters::workers)},
              {"executed_per_rank", each(report, &rank_counters::executed)},
              {"sent_per_rank", each(report, &rank_counters::sent)},
              {"received_per_rank", each(report, &rank_counters::received)},
              {"messages_per_rank", each(report, &rank_counters::messages)},
              {"bytes_per_rank", each(report, &rank_counters::bytes)}};
  if (report.forecast) {
    const auto& forecast = *report.forecast;
    object["forecast"] = {{"seconds", forecast.seconds},
                          {"error", error_of(report)},
                          {"latency", forecast.link.latency},
                          {"per_byte", forecast.link.per_byte},
                          {"task_bytes", forecast.task_bytes}};
  }
  return object;
}

std::string sharing_text(const ranks_report& report) {
  return report.sharing == "rounds"
             ? fmt::format("balancer {}, transmission {}", report.balancer, report.transmission)
             : "sharing " + report.sharing;
}

std::string to_text(const ranks_report& report) {
  const auto& measured = report.measured;
  return fmt::format(
      "{}: {} tasks on {} {}, {}\n\n{}\n"
      "{} tasks moved between ranks; {} rounds; {} messages, {}\n\n"
      "serial twin  {}\nparallel     {}\n{}speed-up     {:.2f}, efficiency {:.2f}\n{}\n",
      report.workload, measured.tasks, measured.ranks.size(),
      measured.ranks.size() == 1 ? "rank" : "ranks", sharing_text(report), ranks_text(report),
      sum_of(report, &rank_counters::sent), rounds_of(report),
      sum_of(report, &rank_counters::messages), bytes_text(sum_of(report, &rank_counters::bytes)),
      duration_text(report.serial_seconds), duration_text(measured.seconds), forecast_text(report),
      report.speedup(), efficiency(report), check_text(measured.check));
}

}  // namespace evencube::cli
