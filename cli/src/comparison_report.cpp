#include "comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "number_text.hpp"
#include "text_table.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

/// No table is wider, unless a placement alone is.
constexpr std::size_t most_columns = 8;

std::string default_strategy() { return runtime_options{}.balancer; }

json to_json(const contender_times& one) {
  return {{"name", one.name},
          {"engine", one.engine},
          {"seconds", median_time(one.seconds)},
          {"all_seconds", one.seconds},
          {"speedup",
           {{"median", one.speedup.median}, {"min", one.speedup.least}, {"max", one.speedup.most}}},
          {"over_best", one.over_best}};
}

json to_json(const comparison_cell& cell) {
  json contenders = json::array();
  for (const contender_times& one : cell.contenders) {
    if (!one.seconds.empty()) contenders.push_back(to_json(one));
  }
  return {{"program", cell.program},
          {"machine", cell.machine},
          {"placement", cell.placement},
          {"workers", cell.workers},
          {"forecast", cell.forecast},
          {"tasks", cell.tasks},
          {"counts", cell.counts()},
          {"best", cell.contenders[cell.best].name},
          {"contenders", std::move(contenders)}};
}

json to_json(const standing& one, const comparison& made) {
  json where = nullptr;
  if (one.where) {
    const comparison_cell& cell = made.cells[*one.where];
    where = {{"program", cell.program},
             {"machine", cell.machine},
             {"placement", cell.placement},
             {"workers", cell.workers}};
  }
  return {{"name", one.name},
          {"cells", one.cells},
          {"close", one.close},
          {"most_behind", one.most_behind},
          {"where", std::move(where)}};
}

std::string behind_text(const standing& one) {
  return fmt::format("{:.1f} %", 100 * (one.most_behind - 1));
}

std::string place_of(const standing& one, const comparison& made) {
  if (!one.where) return "";
  const comparison_cell& cell = made.cells[*one.where];
  return fmt::format("{}, {}, {}", visible(cell.program), cell.machine, heading_of(cell));
}

/// Columns `first` to `end`.
std::string table_of(const comparison& made, std::size_t first, std::size_t end) {
  std::vector<std::string> columns{"<by"};
  for (std::size_t c = first; c < end; ++c) columns.push_back({heading_of(made.cells[c])});
  text_table table{columns};
  for (std::size_t i = 0; i < made.cells[first].contenders.size(); ++i) {
    std::vector<std::string> row{made.cells[first].contenders[i].name};
    for (std::size_t c = first; c < end; ++c) {
      const contender_times& one = made.cells[c].contenders[i];
      row.push_back(one.seconds.empty() ? "-" : fmt::format("{:.3f}", one.over_best));
    }
    table.add_cells(std::move(row));
  }
  std::vector<std::string> best{"best strategy"};
  std::vector<std::string> time{"its time"};
  std::vector<std::string> speedup{"its speed-up"};
  for (std::size_t c = first; c < end; ++c) {
    const contender_times& one = made.cells[c].contenders[made.cells[c].best];
    best.push_back(one.name);
    time.push_back(duration_text(median_time(one.seconds)));
    speedup.push_back(fmt::format("{:.2f}", one.speedup.median));
  }
  table.add_cells(std::move(best));
  table.add_cells(std::move(time));
  table.add_cells(std::move(speedup));
  return table.to_string();
}

/// Placements stay together.
std::string tables_of(const comparison& made, std::size_t first, std::size_t end) {
  std::string text;
  while (first < end) {
    std::size_t until = first;
    while (until < end) {
      std::size_t next = until;
      while (next < end && made.cells[next].placement == made.cells[until].placement) ++next;
      if (until > first && next - first > most_columns) break;
      until = next;
    }
    text += "\n" + table_of(made, first, until);
    first = until;
  }
  return text;
}

std::string standings_text(const comparison& made) {
  const std::size_t cells = made.standings.front().cells;
  if (cells == 0) {
    return fmt::format(
        "\nNo cell has more than one worker and {:.0f} tasks for each: nothing is said of how the "
        "strategies stand.\n",
        enough_tasks);
  }
  text_table table{{"<strategy", "within 1 %", "of", "share", "most behind", "<where"}};
  for (const standing& one : made.standings) {
    table.add_row(one.name, one.close, cells,
                  share_text(static_cast<double>(one.close) / static_cast<double>(cells)),
                  behind_text(one), place_of(one, made));
  }
  std::string text =
      fmt::format("\nIn the cells of more than one worker and at least {:.0f} tasks for each:\n{}",
                  enough_tasks, table.to_string());
  const auto usual = std::ranges::find(made.standings, default_strategy(), &standing::name);
  if (usual != made.standings.end()) {
    text += fmt::format(
        "The default, {}: within 1 % of the best in {} of {} cells, at most {} "
        "behind{}.\n",
        usual->name, usual->close, cells, behind_text(*usual),
        usual->where ? fmt::format(" ({})", place_of(*usual, made)) : "");
  }
  return text;
}

std::string check_text(const comparison& made) {
  if (made.repetitions == 0) return "";
  if (!made.check) return "\nNot verified.\n";
  return made.check->passed ? "\nAll results are right.\n"
                            : fmt::format("\nWRONG: {}\n", made.check->detail);
}

}  // namespace

std::string heading_of(const comparison_cell& cell) {
  return fmt::format("{} {}{}", cell.placement, cell.workers, cell.forecast ? "*" : "");
}

std::size_t end_of_block(const comparison& made, std::size_t first) {
  std::size_t end = first;
  while (end < made.cells.size() && made.cells[end].program == made.cells[first].program &&
         made.cells[end].machine == made.cells[first].machine) {
    ++end;
  }
  return end;
}

std::string name_of_block(const comparison& made, std::size_t first) {
  const comparison_cell& cell = made.cells[first];
  return fmt::format("{}, machine {}: {}", visible(cell.program), cell.machine,
                     machine_named(cell.machine).summary);
}

json to_json(const comparison& made) {
  json cells = json::array();
  for (const comparison_cell& cell : made.cells) cells.push_back(to_json(cell));
  json standings = json::array();
  for (const standing& one : made.standings) standings.push_back(to_json(one, made));
  return {{"workload", fmt::format("{}", fmt::join(made.programs, ", "))},
          {"repetitions", made.repetitions},
          {"draws", made.draws},
          {"strategies", made.strategies},
          {"engines", made.engines},
          {"default", default_strategy()},
          {"cells", std::move(cells)},
          {"standings", std::move(standings)},
          {"verified", to_json(made.check)}};
}

std::string to_text(const comparison& made) {
  std::string text = fmt::format(
      "{}: time over that of the best strategy, by where tasks begin and number of workers{}\n",
      visible(fmt::format("{}", fmt::join(made.programs, ", "))),
      made.any(false) ? fmt::format(";\nmedians of {}", made.repetitions) : "");
  if (made.any(true)) {
    text += "* forecast: a recorded run, replayed in virtual time";
    if (made.draws > 1) {
      text += fmt::format(", the median of {} draws of what tasks take", made.draws);
    }
    text += "\n";
  }
  for (std::size_t first = 0; first < made.cells.size();) {
    const std::size_t end = end_of_block(made, first);
    const bool alone = end - first == made.cells.size() && made.cells[first].machine == "equal";
    if (!alone) text += "\n" + name_of_block(made, first) + "\n";
    text += tables_of(made, first, end);
    first = end;
  }
  return text + standings_text(made) + check_text(made);
}

}  // namespace evencube::cli
