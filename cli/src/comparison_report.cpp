#include "comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "number_text.hpp"
#include "svg_drawing.hpp"
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

json place_json(const comparison_cell& cell) {
  return {{"program", cell.program},
          {"machine", cell.machine},
          {"placement", cell.placement},
          {"workers", cell.workers}};
}

json to_json(const comparison_cell& cell) {
  json contenders = json::array();
  for (const contender_times& one : cell.contenders) {
    if (!one.seconds.empty()) contenders.push_back(to_json(one));
  }
  json object = place_json(cell);
  object.update({{"forecast", cell.forecast},
                 {"tasks", cell.tasks},
                 {"counts", cell.counts()},
                 {"best", cell.contenders[cell.best].name},
                 {"contenders", std::move(contenders)}});
  return object;
}

json to_json(const standing& one, const comparison& made) {
  return {{"name", one.name},
          {"cells", one.cells},
          {"close", one.close},
          {"most_behind", one.most_behind},
          {"where", one.where ? place_json(made.cells[*one.where]) : json(nullptr)}};
}

std::string behind_text(const standing& one) {
  return fmt::format("{:.1f} %", 100 * (one.most_behind - 1));
}

std::string place_of(const standing& one, const comparison& made) {
  if (!one.where) return "";
  const comparison_cell& cell = made.cells[*one.where];
  return fmt::format("{}, {}, {}", visible(cell.program), cell.machine, heading_of(cell));
}

/// What `edges, machine hybrid` and the like stand for: the cells from `first` on that share
/// program and machine. Returns the index behind the last of them.
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

/// Columns `first` to `end`.
std::string table_of(const comparison& made, std::size_t first, std::size_t end) {
  std::vector<std::string> headings{"<by"};
  for (std::size_t c = first; c < end; ++c) headings.push_back(heading_of(made.cells[c]));
  text_table table{std::move(headings)};
  const auto add = [&](const std::string& name, const auto& text_of) {
    std::vector<std::string> row{name};
    for (std::size_t c = first; c < end; ++c) row.push_back(text_of(made.cells[c]));
    table.add_cells(std::move(row));
  };
  for (std::size_t i = 0; i < made.cells[first].contenders.size(); ++i) {
    add(made.cells[first].contenders[i].name, [i](const comparison_cell& cell) {
      const contender_times& one = cell.contenders[i];
      return one.seconds.empty() ? "-" : fmt::format("{:.3f}", one.over_best);
    });
  }
  const auto best_of = [](const comparison_cell& cell) -> const contender_times& {
    return cell.contenders[cell.best];
  };
  add("best strategy", [&](const auto& cell) { return best_of(cell).name; });
  add("its time",
      [&](const auto& cell) { return duration_text(median_time(best_of(cell).seconds)); });
  add("its speed-up",
      [&](const auto& cell) { return fmt::format("{:.2f}", best_of(cell).speedup.median); });
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
        "\nThe strategies are not ranked, because no cell has more than one worker and at least "
        "{:.0f} tasks for each worker.\n",
        enough_tasks);
  }
  text_table table{{"<strategy", "within 1 %", "of", "share", "most behind", "<where"}};
  for (const standing& one : made.standings) {
    table.add_row(one.name, one.close, cells,
                  share_text(static_cast<double>(one.close) / static_cast<double>(cells)),
                  behind_text(one), place_of(one, made));
  }
  std::string text = fmt::format(
      "\nIn all cells with several workers and at least {:.0f} tasks for each worker:\n{}",
      enough_tasks, table.to_string());
  const auto usual = std::ranges::find(made.standings, default_strategy(), &standing::name);
  if (usual != made.standings.end()) {
    text += fmt::format(
        "The default, {}, is within 1 % of the best in {} of {} cells, and at most {} behind{}.\n",
        usual->name, usual->close, cells, behind_text(*usual),
        usual->where ? fmt::format(" ({})", place_of(*usual, made)) : "");
  }
  return text;
}

std::string check_text(const comparison& made) {
  if (made.repetitions == 0) return "";
  if (!made.check) return "\nNot verified.\n";
  return made.check->passed ? "\nAll results are correct.\n"
                            : fmt::format("\nWRONG: {}\n", made.check->detail);
}

using text_style = svg_drawing::text_style;

/// White for the best, dark from twice its time on.
std::string colour_of(double over_best) {
  const double far = std::clamp(std::log2(std::max(over_best, 1.0)), 0.0, 1.0);
  const auto shade = [&](int darkest) { return std::lround(255 - far * (255 - darkest)); };
  return fmt::format("#{:02x}{:02x}{:02x}", shade(154), shade(52), shade(18));
}

constexpr int left = 170;
constexpr int wide = 56;
constexpr int high = 22;

constexpr text_style pale{.colour = svg_drawing::pale_ink};
constexpr text_style pale_in_the_middle{.colour = svg_drawing::pale_ink, .anchor = "middle"};

/// The cells of one program and machine, from `y` on. Returns where it ends.
int draw_block(const comparison& made, std::size_t first, std::size_t end, int y,
               svg_drawing& into) {
  into.text({16, y + 14.0}, name_of_block(made, first), {});
  const int top = y + 58;
  const std::size_t rows = made.cells[first].contenders.size();
  for (std::size_t r = 0; r < rows; ++r) {
    into.text({left - 10, top + static_cast<int>(r) * high + 15.0},
              made.cells[first].contenders[r].name, {.anchor = "end"});
  }
  for (std::size_t c = first; c < end; ++c) {
    const comparison_cell& cell = made.cells[c];
    const double x = left + static_cast<int>(c - first) * wide;
    if (c == first || made.cells[c - 1].placement != cell.placement) {
      into.text({x + 2, top - 24.0}, cell.placement, pale);
    }
    into.text({x + wide / 2, top - 7.0},
              fmt::format("{}{}", cell.workers, cell.forecast ? "*" : ""), pale_in_the_middle);
    for (std::size_t r = 0; r < rows; ++r) {
      const contender_times& one = cell.contenders[r];
      const double at = top + static_cast<int>(r) * high;
      const bool known = !one.seconds.empty();
      into.box({x, at}, wide - 1, high - 1, known ? colour_of(one.over_best) : "#f3f4f6",
               known ? fmt::format("{}, {}: {}, speed-up {:.2f}", one.name, heading_of(cell),
                                   duration_text(median_time(one.seconds)), one.speedup.median)
                     : one.name + ": not forecast",
               svg_drawing::grid);
      if (!known) continue;
      into.text({x + wide / 2, at + 15}, fmt::format("{:.3f}", one.over_best),
                {.colour = one.over_best > 1.6 ? "#ffffff" : svg_drawing::ink, .anchor = "middle"});
    }
  }
  return top + static_cast<int>(rows) * high + 20;
}

}  // namespace

std::string heading_of(const comparison_cell& cell) {
  return fmt::format("{} {}{}", cell.placement, cell.workers, cell.forecast ? "*" : "");
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
      "{}: time divided by the best strategy's time, for each task placement and number of "
      "workers{}\n",
      visible(fmt::format("{}", fmt::join(made.programs, ", "))),
      made.any(false) ? fmt::format(";\nmedians of {}", made.repetitions) : "");
  if (made.any(true)) {
    text += "* a forecast: a recorded run, replayed in virtual time";
    if (made.draws > 1) {
      text += fmt::format(", the median of {} draws of the tasks' times", made.draws);
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

std::string heat_map_svg(const comparison& made) {
  svg_drawing drawing;
  const std::string programs = visible(fmt::format("{}", fmt::join(made.programs, ", ")));
  std::size_t width = std::max<std::size_t>(620, 400 + 10 * programs.size());
  drawing.text({16, 28}, fmt::format("{}: time divided by the best strategy's time", programs),
               {.weight = "600", .size = 17});
  std::string note = "for each task placement and number of workers";
  if (made.any(false)) note += fmt::format("; medians of {}", made.repetitions);
  if (made.any(true)) note += "; * forecast";
  if (made.draws > 1) note += fmt::format(", median of {} draws", made.draws);
  drawing.text({16, 47}, note, pale);
  int y = 62;
  for (std::size_t first = 0; first < made.cells.size();) {
    const std::size_t end = end_of_block(made, first);
    y = draw_block(made, first, end, y, drawing);
    width = std::max(width, left + (end - first) * wide + 20);
    first = end;
  }
  return drawing.to_string(static_cast<double>(width), y,
                           fmt::format("{}: strategies compared", programs));
}

}  // namespace evencube::cli
