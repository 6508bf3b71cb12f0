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

/// Values to places within a panel. Numbers of workers stand at equal distances for equal factors.
class panel {
 public:
  panel(double left, double right, double most_workers, double most_value)
      : left_{left}, right_{right}, most_workers_{most_workers}, most_value_{most_value} {}

  [[nodiscard]] double x(double workers) const {
    const double share = most_workers_ <= 1 ? 0.5 : std::log2(workers) / std::log2(most_workers_);
    return left_ + share * (right_ - left_);
  }
  [[nodiscard]] double y(double value) const {
    return plot_bottom - std::min(value / most_value_, 1.0) * (plot_bottom - plot_top);
  }
  [[nodiscard]] double left() const { return left_; }
  [[nodiscard]] double right() const { return right_; }

 private:
  double left_;
  double right_;
  double most_workers_;
  double most_value_;
};

class picture {
 public:
  explicit picture(const speedup_report& report)
      : report_{report}, forecasts_{forecasts_of(report)} {
    most_workers_ = forecasts_.empty() ? report.points.back().workers : forecasts_.back().workers;
    for (const speedup_point& point : report.points) {
      most_speedup_ = std::max({most_speedup_, point.speedup.most, point.limit.median,
                                static_cast<double>(point.workers)});
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
    put_speedup(panel{60, 560, most_workers_, most_speedup_ * 1.05});
    put_efficiency(panel{650, 920, static_cast<double>(report_.points.back().workers),
                         std::max(1.1, most_efficiency() * 1.05)});
    return drawing_.to_string(plot_width, plot_height,
                              fmt::format("Speed-up of {} with EvenCube", report_.workload));
  }

 private:
  [[nodiscard]] double most_efficiency() const {
    double most = 0;
    for (const speedup_point& point : report_.points) {
      most = std::max(most, point.speedup.most / point.workers);
    }
    return most;
  }

  void put_line(const std::vector<place>& places, const char* colour, double thick, bool dashed) {
    drawing_.line(places, {.colour = colour, .width = thick, .dashes = dashed ? "5 4" : ""});
  }

  /// Frame, numbers of workers, and the values at steps that suit.
  void put_axes(const panel& on, const std::vector<double>& workers, double most, bool shares) {
    const double power = std::pow(10, std::floor(std::log10(most / 4)));
    const double rough = most / 4 / power;
    const double step = (rough < 1.5 ? 1 : rough < 3.5 ? 2 : rough < 7.5 ? 5 : 10) * power;
    for (double value = 0; value <= most; value += step) {
      const double y = on.y(value);
      drawing_.line({{on.left(), y}, {on.right(), y}}, {});
      drawing_.text({on.left() - 8, y + 4},
                    shares ? fmt::format("{:.0f} %", 100 * value)
                           : fmt::format("{:.{}f}", value, step < 1 ? 1 : 0),
                    {.colour = svg_drawing::pale_ink, .anchor = "end"});
    }
    for (const double count : workers) {
      drawing_.text({on.x(count), plot_bottom + 18}, fmt::format("{}", count), pale_in_the_middle);
    }
    drawing_.text({(on.left() + on.right()) / 2, plot_bottom + 38}, "workers",
                  {.anchor = "middle"});
  }

  /// The machine's limit: a line, and a mark at each number of workers, for one makes no line.
  void put_limit(const std::vector<place>& limit) {
    put_line(limit, limit_colour, 1.5, true);
    for (const auto& [x, y] : limit) {
      drawing_.box({x - 3, y - 3}, 6, 6, limit_colour, "the machine's limit");
    }
  }

  void put_points(const panel& on, bool per_worker) {
    std::vector<place> places;
    for (const speedup_point& point : report_.points) {
      const double by = per_worker ? point.workers : 1;
      const double x = on.x(point.workers);
      places.push_back({x, on.y(point.speedup.median / by)});
      drawing_.line({{x, on.y(point.speedup.least / by)}, {x, on.y(point.speedup.most / by)}},
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
    std::vector<double> counts;
    std::vector<place> limit;
    std::vector<place> ideal;
    for (const speedup_point& point : report_.points) {
      counts.push_back(point.workers);
      limit.push_back({on.x(point.workers), on.y(point.limit.median)});
    }
    std::vector<place> beyond{
        {on.x(report_.points.back().workers), on.y(report_.points.back().speedup.median)}};
    for (const auto& [workers, speedup] : forecasts_) {
      counts.push_back(workers);
      beyond.push_back({on.x(workers), on.y(speedup)});
    }
    put_axes(on, counts, most_speedup_ * 1.05, false);
    // On this scale the ideal is a curve.
    const double end = std::min(most_workers_, most_speedup_ * 1.05);
    constexpr int steps = 48;
    for (int i = 0; i <= steps; ++i) {
      const double workers = std::exp2(std::log2(end) * i / steps);
      ideal.push_back({on.x(workers), on.y(workers)});
    }
    put_line(ideal, ideal_colour, 1.5, false);
    put_limit(limit);
    if (beyond.size() > 1) put_line(beyond, measured_colour, 1.5, true);
    put_points(on, false);
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
      const double x = on.left() + (i % 2 == 0 ? 0 : 200);
      const double y = plot_bottom + 62 + (i < 2 ? 0 : 19);
      put_line({{x, y}, {x + 26, y}}, colour, 2, dashed);
      drawing_.text({x + 34, y + 4}, text, {});
    }
  }

  void put_efficiency(const panel& on) {
    std::vector<double> counts;
    std::vector<place> limit;
    for (const speedup_point& point : report_.points) {
      counts.push_back(point.workers);
      limit.push_back({on.x(point.workers), on.y(point.limit.median / point.workers)});
    }
    put_axes(on, counts, std::max(1.1, most_efficiency() * 1.05), true);
    put_line({{on.left(), on.y(1)}, {on.right(), on.y(1)}}, ideal_colour, 1.5, false);
    put_limit(limit);
    put_points(on, true);
    drawing_.text({on.left(), plot_top - 12}, "efficiency", {.weight = "600"});
  }

  const speedup_report& report_;
  std::vector<speedup_forecast> forecasts_;
  double most_workers_ = 1;
  double most_speedup_ = 1;
  svg_drawing drawing_;
};

}  // namespace

std::string speedup_plot(const speedup_report& report) { return picture{report}.drawn(); }

}  // namespace evencube::cli
