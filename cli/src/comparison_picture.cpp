#include "comparison_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "comparison_report.hpp"
#include "number_text.hpp"
#include "small_font.hpp"
#include "visible_text.hpp"

namespace evencube::cli {
namespace {

using workloads::rgb8;

constexpr rgb8 dark{0x1D, 0x27, 0x33};
constexpr rgb8 pale{0x5C, 0x6B, 0x7C};
constexpr rgb8 white{255, 255, 255};
constexpr rgb8 frame{0xE8, 0xEC, 0xF1};
constexpr rgb8 unknown{0xF3, 0xF4, 0xF6};

enum class anchor { start, middle, end };

/// What a picture is made of, whatever draws it.
struct box {
  int x, y, width, height;
  rgb8 colour;
  std::string told;  ///< to who points at it
};
struct label {
  int x, y;  ///< of the line that letters stand on
  std::string text;
  rgb8 colour;
  anchor at = anchor::start;
  bool large = false;
};
struct drawing {
  int width = 0;
  int height = 0;
  std::string title;
  std::vector<box> boxes;
  std::vector<label> labels;
};

/// White for the best, dark from twice its time on.
rgb8 colour_of(double over_best) {
  const double far = std::clamp(std::log2(std::max(over_best, 1.0)), 0.0, 1.0);
  const auto between = [&](int from, int to) {
    return static_cast<std::uint8_t>(std::lround(from + far * (to - from)));
  };
  return {between(255, 154), between(255, 52), between(255, 18)};
}

constexpr int left = 170;
constexpr int wide = 56;
constexpr int high = 22;

/// The cells of one program and machine, from `y` on. Returns where it ends.
int draw_block(const comparison& made, std::size_t first, std::size_t end, int y, drawing& into) {
  into.labels.push_back({16, y + 14, name_of_block(made, first), dark});
  const int top = y + 58;
  const std::size_t rows = made.cells[first].contenders.size();
  for (std::size_t r = 0; r < rows; ++r) {
    into.labels.push_back({left - 10, top + static_cast<int>(r) * high + 15,
                           made.cells[first].contenders[r].name, dark, anchor::end});
  }
  for (std::size_t c = first; c < end; ++c) {
    const comparison_cell& cell = made.cells[c];
    const int x = left + static_cast<int>(c - first) * wide;
    if (c == first || made.cells[c - 1].placement != cell.placement) {
      into.labels.push_back({x + 2, top - 24, cell.placement, pale});
    }
    into.labels.push_back({x + wide / 2, top - 7,
                           fmt::format("{}{}", cell.workers, cell.forecast ? "*" : ""), pale,
                           anchor::middle});
    for (std::size_t r = 0; r < rows; ++r) {
      const contender_times& one = cell.contenders[r];
      const int at = top + static_cast<int>(r) * high;
      if (one.seconds.empty()) {
        into.boxes.push_back({x, at, wide - 1, high - 1, unknown, one.name + ": not forecast"});
        continue;
      }
      into.boxes.push_back(
          {x, at, wide - 1, high - 1, colour_of(one.over_best),
           fmt::format("{}, {}: {}, speed-up {:.2f}", one.name, heading_of(cell),
                       duration_text(median_time(one.seconds)), one.speedup.median)});
      into.labels.push_back({x + wide / 2, at + 15, fmt::format("{:.3f}", one.over_best),
                             one.over_best > 1.6 ? white : dark, anchor::middle});
    }
  }
  into.width = std::max(into.width, left + static_cast<int>(end - first) * wide + 20);
  return top + static_cast<int>(rows) * high + 20;
}

drawing draw(const comparison& made) {
  drawing made_of;
  made_of.width = 620;
  const std::string programs = visible(fmt::format("{}", fmt::join(made.programs, ", ")));
  made_of.width = std::max(made_of.width, 400 + 10 * static_cast<int>(programs.size()));
  made_of.title = fmt::format("{}: strategies compared", programs);
  made_of.labels.push_back({16, 28,
                            fmt::format("{}: time over that of the best strategy", programs), dark,
                            anchor::start, true});
  std::string note = "by where tasks begin and number of workers";
  if (made.any(false)) note += fmt::format("; medians of {}", made.repetitions);
  if (made.any(true)) note += "; * forecast";
  if (made.draws > 1) note += fmt::format(", median of {} draws", made.draws);
  made_of.labels.push_back({16, 47, note, pale});
  int y = 62;
  for (std::size_t first = 0; first < made.cells.size();) {
    const std::size_t end = end_of_block(made, first);
    y = draw_block(made, first, end, y, made_of);
    first = end;
  }
  made_of.height = y;
  return made_of;
}

std::string escaped(std::string_view text) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      default:
        made += c;
    }
  }
  return made;
}

std::string text_of(rgb8 colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour.red, colour.green, colour.blue);
}

std::string_view anchor_text(anchor at) {
  return at == anchor::start ? "start" : at == anchor::middle ? "middle" : "end";
}

/// Pixels of a picture, `scale` for each unit of a drawing.
class canvas {
 public:
  explicit canvas(const drawing& of)
      : scale(std::int64_t{of.width} * of.height < most_units_doubled ? 2 : 1),
        width(of.width * scale),
        height(of.height * scale),
        pixels(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), white) {}

  /// In pixels.
  void fill(int x, int y, int wide_by, int high_by, rgb8 colour) {
    for (int row = std::max(y, 0); row < std::min(y + high_by, height); ++row) {
      for (int at = std::max(x, 0); at < std::min(x + wide_by, width); ++at) {
        pixels[static_cast<std::size_t>(row) * static_cast<std::size_t>(width) +
               static_cast<std::size_t>(at)] = colour;
      }
    }
  }

  void write(const label& what) {
    const int point = what.large ? scale + 1 : scale;
    const int step = (glyph_width + 1) * point;
    const int length = static_cast<int>(what.text.size()) * step - point;
    int x = what.x * scale;
    if (what.at == anchor::middle) x -= length / 2;
    if (what.at == anchor::end) x -= length;
    const int top = what.y * scale - glyph_height_above_line * point;
    for (const char c : what.text) {
      const glyph& shape = glyph_of(c);
      for (int row = 0; row < glyph_height; ++row) {
        for (int column = 0; column < glyph_width; ++column) {
          const unsigned bit = 1U << (glyph_width - 1 - column);
          if ((shape[static_cast<std::size_t>(row)] & bit) == 0) continue;
          fill(x + column * point, top + row * point, point, point, what.colour);
        }
      }
      x += step;
    }
  }

  int scale;
  int width;
  int height;
  std::vector<rgb8> pixels;

 private:
  static constexpr std::int64_t most_units_doubled = std::int64_t{1} << 23;
};

}  // namespace

std::string heat_map_svg(const comparison& made) {
  const drawing of = draw(made);
  std::string text = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
      R"(viewBox="0 0 {0} {1}" font-family="DejaVu Sans, Segoe UI, sans-serif" font-size="12">)"
      "\n"
      R"(<title>{2}</title><rect width="100%" height="100%" fill="#ffffff"/>)"
      "\n",
      of.width, of.height, escaped(of.title));
  for (const box& one : of.boxes) {
    text += fmt::format(
        R"(<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="{}"><title>{}</title></rect>)"
        "\n",
        one.x, one.y, one.width, one.height, text_of(one.colour), text_of(frame),
        escaped(one.told));
  }
  for (const label& one : of.labels) {
    text += fmt::format(R"(<text x="{}" y="{}" text-anchor="{}" fill="{}"{}>{}</text>)"
                        "\n",
                        one.x, one.y, anchor_text(one.at), text_of(one.colour),
                        one.large ? R"( font-size="17" font-weight="600")" : "", escaped(one.text));
  }
  return text + "</svg>\n";
}

pixel_picture heat_map_pixels(const comparison& made) {
  const drawing of = draw(made);
  canvas drawn{of};
  const int by = drawn.scale;
  for (const box& one : of.boxes) {
    drawn.fill(one.x * by - 1, one.y * by - 1, one.width * by + 2, one.height * by + 2, frame);
    drawn.fill(one.x * by, one.y * by, one.width * by, one.height * by, one.colour);
  }
  for (const label& one : of.labels) drawn.write(one);
  return {static_cast<std::uint32_t>(drawn.width), static_cast<std::uint32_t>(drawn.height),
          std::move(drawn.pixels)};
}

}  // namespace evencube::cli
