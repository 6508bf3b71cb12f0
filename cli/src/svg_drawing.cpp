#include "svg_drawing.hpp"

#include <fmt/format.h>

#include <iterator>

#include "visible_text.hpp"

namespace evencube::cli {
namespace {

/// Text as XML may hold it: no control characters, no U+FFFE and U+FFFF.
std::string escaped(std::string_view text) {
  const std::string shown = visible(text);
  std::string made;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::string_view rest = std::string_view{shown}.substr(i);
    if (rest.starts_with("\xEF\xBF\xBE") || rest.starts_with("\xEF\xBF\xBF")) {
      made += "\xEF\xBF\xBD";  // U+FFFD stands for what cannot be shown
      i += 2;
    } else if (rest[0] == '&') {
      made += "&amp;";
    } else if (rest[0] == '<') {
      made += "&lt;";
    } else if (rest[0] == '>') {
      made += "&gt;";
    } else {
      made += rest[0];
    }
  }
  return made;
}

template <typename... Values>
void put(std::string& to, fmt::format_string<Values...> form, Values&&... values) {
  fmt::format_to(std::back_inserter(to), form, std::forward<Values>(values)...);
}

std::string tip(std::string_view told) {
  return told.empty() ? "" : "<title>" + escaped(told) + "</title>";
}

}  // namespace

void svg_drawing::box(point corner, double width, double height, std::string_view colour,
                      std::string_view told, std::string_view frame) {
  put(shapes_,
      R"(<rect x="{:.7g}" y="{:.7g}" width="{:.7g}" height="{:.7g}" fill="{}" stroke="{}">{}</rect>)"
      "\n",
      corner.x, corner.y, width, height, colour, frame, tip(told));
}

void svg_drawing::circle(point centre, double radius, std::string_view colour,
                         std::string_view told) {
  put(shapes_,
      R"(<circle cx="{:.1f}" cy="{:.1f}" r="{}" fill="{}">{}</circle>)"
      "\n",
      centre.x, centre.y, radius, colour, tip(told));
}

void svg_drawing::line(const std::vector<point>& points, const line_style& style) {
  shapes_ += R"(<polyline points=")";
  for (const auto& [x, y] : points) put(shapes_, "{:.1f},{:.1f} ", x, y);
  put(shapes_,
      R"(" fill="none" stroke="{}" stroke-width="{}" stroke-dasharray="{}" stroke-opacity="{}"/>)"
      "\n",
      style.colour, style.width, style.dashes.empty() ? "none" : style.dashes, style.opacity);
}

void svg_drawing::text(point at, std::string_view what, const text_style& style) {
  put(shapes_, R"(<text x="{:.7g}" y="{:.7g}" text-anchor="{}" fill="{}" font-size="{}")", at.x,
      at.y, style.anchor, style.colour, style.size);
  if (!style.weight.empty()) put(shapes_, R"( font-weight="{}")", style.weight);
  shapes_ += ">" + escaped(what) + "</text>\n";
}

std::string svg_drawing::to_string(double width, double height, std::string_view title) const {
  return fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" )"
                     R"(viewBox="0 0 {0} {1}" font-family="DejaVu Sans, Segoe UI, sans-serif">)"
                     "\n"
                     R"(<title>{2}</title><rect width="100%" height="100%" fill="#ffffff"/>)"
                     "\n",
                     width, height, escaped(title)) +
         shapes_ + "</svg>\n";
}

}  // namespace evencube::cli
