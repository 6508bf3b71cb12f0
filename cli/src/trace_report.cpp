#include "trace_report.hpp"

#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <evencube/pages/trace_page.hpp>
#include <evencube/trace/readings.hpp>
#include <utility>

#include "number_text.hpp"
#include "text_table.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

/// The most rows of a table, because a terminal has no room for more; --json has all rows.
constexpr std::size_t most_rows = 64;

double seconds(double nanoseconds) { return nanoseconds / 1e9; }

std::string time_text(double nanoseconds) { return duration_text(seconds(nanoseconds)); }

double share_of_all(const checked_trace& given, const trace_figures& figures, double time) {
  return time /
         (static_cast<double>(given.source.makespan) * static_cast<double>(figures.workers.size()));
}

std::string workers_text(const checked_trace& given, const trace_figures& figures) {
  text_table table{{"worker", "tasks", "busy", "of the time", "received", "sent"}};
  for (std::size_t w = 0; w < figures.workers.size() && w < most_rows; ++w) {
    const auto& one = figures.workers[w];
    table.add_row(w, one.tasks, time_text(one.busy),
                  share_text(one.busy / static_cast<double>(given.source.makespan)), one.received,
                  one.sent);
  }
  const auto left_out = figures.workers.size() - std::min(figures.workers.size(), most_rows);
  return table.to_string() +
         (left_out == 0 ? "" : fmt::format("and {} more workers; --json prints all\n", left_out));
}

std::string rounds_text(const checked_trace& given, const trace_figures& figures) {
  if (given.source.rounds.empty()) return "no rounds";
  return fmt::format("{} rounds, largest load / mean load {:.2f} before and {:.2f} after",
                     given.source.rounds.size(), figures.imbalance_before, figures.imbalance_after);
}

/// Tables of the names that the program gave, as far as there are any. Of many names, the first
/// ones.
std::string names_text(const checked_trace& given, const trace_figures& figures) {
  constexpr std::size_t most_letters = 48;
  constexpr std::size_t most_names = 12;
  std::string text;
  const auto add = [&](text_table table, const auto& all, const auto& add_row) {
    for (std::size_t i = 0; i < std::min(all.size(), most_names); ++i) {
      const auto name = traces::name_in(given.source, all[i].name);
      add_row(table, visible_and_short(name, most_letters), all[i]);
    }
    if (!all.empty()) text += table.to_string() + "\n";
  };
  add(text_table{{"<task", "tasks", "computing", "median", "longest"}}, figures.types,
      [](text_table& table, const std::string& name, const trace_figures::type& one) {
        table.add_row(name, one.count, time_text(one.computed), time_text(one.tasks.median),
                      time_text(one.tasks.most));
      });
  add(text_table{{"<region", "times", "in all", "longest"}}, figures.regions,
      [](text_table& table, const std::string& name, const trace_figures::region& one) {
        table.add_row(name, one.count, time_text(one.lasted), time_text(one.longest));
      });
  add(text_table{{"<counter", "times", "least", "most", "last"}}, figures.counters,
      [](text_table& table, const std::string& name, const trace_figures::counter& one) {
        table.add_row(name, one.count, fmt::format("{:g}", one.least),
                      fmt::format("{:g}", one.most), fmt::format("{:g}", one.last));
      });
  return text;
}

}  // namespace

json to_json(const checked_trace& given, const trace_figures& figures) {
  return json::parse(pages::figures_json(given, figures));
}

std::string to_text(const checked_trace& given, const trace_figures& figures) {
  const traces::trace& source = given.source;
  const auto share = [&](double time) { return share_text(share_of_all(given, figures, time)); };
  return fmt::format(
      "{}: {} tasks on {} in {}{}, balancer {}, transmission {}\n"
      "\n"
      "{}\n"
      "{}computing                       {} of the workers' time\n"
      "idle while tasks waited         {}\n"
      "idle without tasks to take      {}\n"
      "critical path                   {}, of {} tasks\n"
      "tasks: median {}, 90 % below {}, 99 % below {}, longest {}\n"
      "moves: {} by rounds, {} by pulls, {} by rescues; {}\n"
      "error of the replay in the simulator: {}\n"
      "bound by {}\n",
      visible(source.workload), source.tasks.size(), visible(source.topology),
      time_text(static_cast<double>(source.makespan)),
      source.cut ? " (cut short because memory was full)" : "", visible(source.balancer),
      visible(source.transmission), workers_text(given, figures), names_text(given, figures),
      share(figures.busy), share(figures.idle_with_work), share(figures.idle_without_work),
      time_text(figures.critical_path), figures.critical_tasks.size(),
      time_text(figures.tasks.median), time_text(figures.tasks.p90), time_text(figures.tasks.p99),
      time_text(figures.tasks.most), figures.moved_by_rounds, figures.moved_by_pulls,
      figures.moved_by_rescues, rounds_text(given, figures), share_text(given.forecast_error()),
      sentence_of(figures.bound));
}

void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const std::string& file, const traces::byte_sink& to) {
  struct stat found = {};
  pages::recording_file from;
  if (::stat(file.c_str(), &found) == 0) {
    from = {found.st_mtime, static_cast<std::uint64_t>(found.st_size)};
  }
  pages::write_trace_page(given, figures, from, to);
}

}  // namespace evencube::cli
