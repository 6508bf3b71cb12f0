#include "speedup_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "speedup_meaning.hpp"
#include "speedup_report.hpp"
#include "svg_drawing.hpp"

namespace evencube::cli {
namespace {

constexpr double plot_width = 960;
constexpr double plot_height = 485;
constexpr double plot_top = 70;
constexpr double plot_bottom = 390;
constexpr const char* measured_colour = "#0f766e";
constexpr const char* limit_colour = "#8a97a6";
constexpr const char* ideal_colour = "#c2cad3";

using place = svg_drawing::point;
constexpr svg_drawing::text_style pale_in_the_middle{.colour = svg_drawing::pale_ink,
                                                     .anchor = "middle"};

/// Speed-ups, or efficiencies, to places. Numbers of workers stand at equal distances for equal
/// factors.
struct panel {
  double left;
  double right;
  double most_workers;
  double most_value;
  bool per_worker;

  [[nodiscard]] double x(double workers) const {
    const double share = most_workers <= 1 ? 0.5 : std::log2(workers) / std::log2(most_workers);
    return left + share * (right - left);
  }
  [[nodiscard]] double y(double value) const {
    return plot_bottom - std::min(value / most_value, 1.0) * (plot_bottom - plot_top);
  }
  /// Of that speed-up.
  [[nodiscard]] place at(double workers, double speedup) const {
    return {x(workers), y(per_worker ? speedup / workers : speedup)};
  }
};

class picture {
 public:
  explicit picture(const speedup_report& report)
      : report_{report}, forecasts_{forecasts_of(report)} {
    most_workers_ = forecasts_.empty() ? report.points.back().workers : forecasts_.back().workers;
    for (const speedup_point& point : report.points) {
      most_speedup_ = std::max({most_speedup_, point.speedup.most, point.limit.median,
                                static_cast<double>(point.workers)});
      most_efficiency_ = std::max(most_efficiency_, point.speedup.most / point.workers);
    }
    for (const auto& [workers, speedup] : forecasts_) {
      most_speedup_ = std::max(most_speedup_, speedup);
    }
  }

  std::string drawn() {
    drawing_.text({60, 28},
                  fmt::format("{}: {}speed-up over its serial twin{}", report_.workload,
                              report_.weak ? "scaled " : "",
                              report_.weak ? ", the problem growing with the workers" : ""),
                  {.weight = "600", .size = 17});
    drawing_.text(
        {60, 47},
        fmt::format("balancer {}, placement {}; {}{}", report_.options.balancer, report_.placement,
                    rounds_text(report_),
                    report_.serial_seconds.size() == 1 ? "" : ", bars from least to most"),
        {.colour = svg_drawing::pale_ink});
    put_speedup({60, 560, most_workers_, most_speedup_ * 1.05, false});
    put_efficiency({650, 920, static_cast<double>(report_.points.back().workers),
                    std::max(1.1, most_efficiency_ * 1.05), true});
    return drawing_.to_string(plot_width, plot_height,
                              fmt::format("Speed-up of {} with EvenCube", report_.workload));
  }

 private:
  void put_line(const std::vector<place>& places, const char* colour, double thick, bool dashed) {
    drawing_.line(places, {.colour = colour, .width = thick, .dashes = dashed ? "5 4" : ""});
  }

  /// The values at steps that suit.
  void put_axes(const panel& on) {
    const double power = std::pow(10, std::floor(std::log10(on.most_value / 4)));
    const double rough = on.most_value / 4 / power;
    const double step = (rough < 1.5 ? 1 : rough < 3.5 ? 2 : rough < 7.5 ? 5 : 10) * power;
    for (double value = 0; value <= on.most_value; value += step) {
      const double y = on.y(value);
      drawing_.line({{on.left, y}, {on.right, y}}, {});
      drawing_.text({on.left - 8, y + 4},
                    on.per_worker ? fmt::format("{:.0f} %", 100 * value)
                                  : fmt::format("{:.{}f}", value, step < 1 ? 1 : 0),
                    {.colour = svg_drawing::pale_ink, .anchor = "end"});
    }
    for (const speedup_point& point : report_.points) put_count(on, point.workers);
    drawing_.text({(on.left + on.right) / 2, plot_bottom + 38}, "workers", {.anchor = "middle"});
  }

  void put_count(const panel& on, unsigned workers) {
    drawing_.text({on.x(workers), plot_bottom + 18}, std::to_string(workers), pale_in_the_middle);
  }

  /// The machine's limit: a line, and a mark at each number of workers, for one makes no line.
  void put_limit(const panel& on) {
    std::vector<place> limit;
    for (const speedup_point& point : report_.points) {
      limit.push_back(on.at(point.workers, point.limit.median));
    }
    put_line(limit, limit_colour, 1.5, true);
    for (const auto& [x, y] : limit) {
      drawing_.box({x - 3, y - 3}, 6, 6, limit_colour, "the machine's limit");
    }
  }

  void put_points(const panel& on) {
    std::vector<place> places;
    for (const speedup_point& point : report_.points) {
      places.push_back(on.at(point.workers, point.speedup.median));
      drawing_.line(
          {on.at(point.workers, point.speedup.least), on.at(point.workers, point.speedup.most)},
          {.colour = measured_colour, .width = 5, .opacity = 0.3});
    }
    put_line(places, measured_colour, 2, false);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const speedup_point& point = report_.points[i];
      drawing_.circle(places[i], 4, measured_colour,
                      fmt::format("{} workers: {:.2f} ({:.2f} to {:.2f})", point.workers,
                                  point.speedup.median, point.speedup.least, point.speedup.most));
    }
  }

  void put_speedup(const panel& on) {
    put_axes(on);
    // On this scale the ideal is a curve.
    const double end = std::min(most_workers_, on.most_value);
    constexpr int steps = 48;
    std::vector<place> ideal;
    for (int i = 0; i <= steps; ++i) {
      const double workers = std::exp2(std::log2(end) * i / steps);
      ideal.push_back(on.at(workers, workers));
    }
    put_line(ideal, ideal_colour, 1.5, false);
    put_limit(on);
    const speedup_point& last = report_.points.back();
    std::vector<place> beyond{on.at(last.workers, last.speedup.median)};
    for (const auto& [workers, speedup] : forecasts_) {
      put_count(on, workers);
      beyond.push_back(on.at(workers, speedup));
    }
    if (beyond.size() > 1) put_line(beyond, measured_colour, 1.5, true);
    put_points(on);
    put_legend(on);
  }

  void put_legend(const panel& on) {
    struct entry {
      const char* colour;
      bool dashed;
      const char* text;
    };
    std::vector<entry> entries{{measured_colour, false, "measured"},
                               {limit_colour, true, "serial copies at once: the machine's limit"},
                               {ideal_colour, false, "ideal"}};
    if (!forecasts_.empty()) {
      entries.push_back({measured_colour, true,
                         report_.weak ? "forecast by Gustafson's law, not measured"
                                      : "forecast by Amdahl's law, not measured"});
    }
    // Below the axes, where no curve comes: two rows of two.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& [colour, dashed, text] = entries[i];
      const double x = on.left + (i % 2 == 0 ? 0 : 200);
      const double y = plot_bottom + 62 + (i < 2 ? 0 : 19);
      put_line({{x, y}, {x + 26, y}}, colour, 2, dashed);
      drawing_.text({x + 34, y + 4}, text, {});
    }
  }

  void put_efficiency(const panel& on) {
    put_axes(on);
    put_line({{on.left, on.y(1)}, {on.right, on.y(1)}}, ideal_colour, 1.5, false);
    put_limit(on);
    put_points(on);
    drawing_.text({on.left, plot_top - 12}, "efficiency", {.weight = "600"});
  }

  const speedup_report& report_;
  std::vector<speedup_forecast> forecasts_;
  double most_workers_ = 1;
  double most_speedup_ = 1;
  double most_efficiency_ = 0;
  svg_drawing drawing_;
};

}  // namespace

std::string speedup_plot(const speedup_report& report) { return picture{report}.drawn(); }

}  // namespace evencube::cli
