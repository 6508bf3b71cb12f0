#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace evencube::cli {

/// A picture in SVG. Lengths are in pixels, y grows downwards, colours are CSS's. Texts may come
/// from anybody: whatever they hold, the picture is well-formed XML.
class svg_drawing {
 public:
  static constexpr const char* ink = "#1d2733";
  static constexpr const char* pale_ink = "#5c6b7c";
  static constexpr const char* grid = "#e8ecf1";

  struct point {
    double x;
    double y;
  };

  struct line_style {
    std::string_view colour = grid;
    double width = 1;
    std::string_view dashes = {};
    double opacity = 1;
  };

  struct text_style {
    std::string_view colour = ink;
    std::string_view anchor = "start";
    std::string_view weight = {};
    int size = 12;
  };

  /// `told` is shown to a reader who points at the shape.
  void box(point corner, double width, double height, std::string_view colour,
           std::string_view told = {}, std::string_view frame = "none");
  void circle(point centre, double radius, std::string_view colour, std::string_view told);
  void line(const std::vector<point>& points, const line_style& style);
  /// `at` is where the base line begins, or its middle or end as the anchor says.
  void text(point at, std::string_view what, const text_style& style);

  /// The whole file.
  [[nodiscard]] std::string to_string(double width, double height, std::string_view title) const;

 private:
  std::string shapes_;
};

}  // namespace evencube::cli
