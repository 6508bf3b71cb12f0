#include "comparison_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "comparison_report.hpp"
#include "number_text.hpp"
#include "svg_drawing.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

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

std::string heat_map_svg(const comparison& made) {
  svg_drawing drawing;
  const std::string programs = visible(fmt::format("{}", fmt::join(made.programs, ", ")));
  std::size_t width = std::max<std::size_t>(620, 400 + 10 * programs.size());
  drawing.text({16, 28}, fmt::format("{}: time over that of the best strategy", programs),
               {.weight = "600", .size = 17});
  std::string note = "by where tasks begin and number of workers";
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
