#include "comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "number_text.hpp"
#include "text_table.hpp"

namespace evencube::cli {
namespace {

std::string heading_of(const comparison_cell& cell) {
  return fmt::format("{} {}", cell.placement, cell.workers);
}

json to_json(const contender_times& one) {
  return {{"name", one.name},
          {"engine", one.engine},
          {"seconds", median_time(one.seconds)},
          {"all_seconds", one.seconds},
          {"speedup",
           {{"median", one.speedup.median}, {"min", one.speedup.least}, {"max", one.speedup.most}}},
          {"over_best", one.over_best}};
}

/// White for the best, dark from twice its time on.
std::string colour_of(double over_best) {
  const double far = std::clamp(std::log2(std::max(over_best, 1.0)), 0.0, 1.0);
  const auto between = [&](int from, int to) {
    return static_cast<int>(std::lround(from + far * (to - from)));
  };
  return fmt::format("#{:02x}{:02x}{:02x}", between(255, 154), between(255, 52), between(255, 18));
}

}  // namespace

json to_json(const comparison& made) {
  json cells = json::array();
  for (const comparison_cell& cell : made.cells) {
    json contenders = json::array();
    for (const contender_times& one : cell.contenders) contenders.push_back(to_json(one));
    cells.push_back({{"placement", cell.placement},
                     {"workers", cell.workers},
                     {"best", cell.contenders[cell.best].name},
                     {"contenders", std::move(contenders)}});
  }
  return {{"workload", made.workload},
          {"repetitions", made.repetitions},
          {"strategies", made.strategies},
          {"engines", made.engines},
          {"cells", std::move(cells)},
          {"verified", made.check ? json(made.check->passed) : json(nullptr)}};
}

std::string to_text(const comparison& made) {
  std::vector<text_table::column> columns{{"by", text_table::alignment::left}};
  for (const comparison_cell& cell : made.cells) columns.push_back({heading_of(cell)});
  text_table table{columns};
  for (std::size_t i = 0; i < made.cells.front().contenders.size(); ++i) {
    std::vector<std::string> row{made.cells.front().contenders[i].name};
    for (const comparison_cell& cell : made.cells) {
      row.push_back(fmt::format("{:.3f}", cell.contenders[i].over_best));
    }
    table.add_row(std::move(row));
  }
  std::vector<std::string> best{"best strategy"};
  std::vector<std::string> time{"its time"};
  std::vector<std::string> speedup{"its speed-up"};
  for (const comparison_cell& cell : made.cells) {
    const contender_times& one = cell.contenders[cell.best];
    best.push_back(one.name);
    time.push_back(duration_text(median_time(one.seconds)));
    speedup.push_back(fmt::format("{:.2f}", one.speedup.median));
  }
  table.add_row(std::move(best));
  table.add_row(std::move(time));
  table.add_row(std::move(speedup));
  return fmt::format(
      "{}: time over that of the best strategy, by where tasks begin and number of workers;\n"
      "medians of {}\n\n{}{}",
      made.workload, made.repetitions, table.to_string(),
      made.check ? (made.check->passed ? "\nAll results are right.\n"
                                       : fmt::format("\nWRONG: {}\n", made.check->detail))
                 : std::string("\nNot verified.\n"));
}

std::string heat_map(const comparison& made) {
  constexpr int left = 170;
  constexpr int top = 78;
  constexpr int wide = 92;
  constexpr int high = 26;
  const auto columns = static_cast<int>(made.cells.size());
  const auto rows = static_cast<int>(made.cells.front().contenders.size());
  std::string text;
  const auto put = [&](const std::string& line) { text += line + "\n"; };
  put(fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
                  R"(viewBox="0 0 {0} {1}" font-family="DejaVu Sans, Segoe UI, sans-serif" )"
                  R"(font-size="12">)",
                  std::max(left + columns * wide + 20, 560), top + rows * high + 20));
  put(fmt::format(R"(<title>{0}: strategies compared</title><rect width="100%" height="100%" )"
                  R"(fill="#ffffff"/><text x="16" y="28" font-size="17" font-weight="600" )"
                  R"(fill="#1d2733">{0}: time over that of the best strategy</text>)",
                  made.workload));
  put(fmt::format(R"(<text x="16" y="47" fill="#5c6b7c">by where tasks begin and number of )"
                  R"(workers; medians of {}</text>)",
                  made.repetitions));
  for (int c = 0; c < columns; ++c) {
    const comparison_cell& cell = made.cells[static_cast<std::size_t>(c)];
    put(fmt::format(R"(<text x="{}" y="{}" text-anchor="middle" fill="#5c6b7c">{}</text>)",
                    left + c * wide + wide / 2, top - 8, heading_of(cell)));
    for (int r = 0; r < rows; ++r) {
      const contender_times& one = cell.contenders[static_cast<std::size_t>(r)];
      if (c == 0) {
        put(fmt::format(R"(<text x="{}" y="{}" text-anchor="end" fill="#1d2733">{}</text>)",
                        left - 10, top + r * high + 17, one.name));
      }
      put(fmt::format(
          R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="#e8ecf1"><title>{}, {}: )"
          R"({}, speed-up {:.2f}</title></rect><text x="{}" y="{}" text-anchor="middle" )"
          R"(fill="{}">{:.3f}</text>)",
          left + c * wide, top + r * high, wide, high, colour_of(one.over_best), one.name,
          heading_of(cell), duration_text(median_time(one.seconds)), one.speedup.median,
          left + c * wide + wide / 2, top + r * high + 17,
          one.over_best > 1.6 ? "#ffffff" : "#1d2733", one.over_best));
    }
  }
  put("</svg>");
  return text;
}

}  // namespace evencube::cli
