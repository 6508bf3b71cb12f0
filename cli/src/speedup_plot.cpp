#include "speedup_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "speedup_meaning.hpp"
#include "speedup_report.hpp"
#include "svg_drawing.hpp"

namespace evencube::cli {
namespace {

constexpr double plot_width = 960;
constexpr double plot_height = 505;
constexpr double plot_top = 70;
constexpr double plot_bottom = 390;
constexpr const char* measured_colour = "#0f766e";
constexpr const char* limit_colour = "#8a97a6";
constexpr const char* ideal_colour = "#c2cad3";
constexpr std::array<const char*, 3> colours_of_others{"#b45309", "#6d28d9", "#be185d"};

using place = svg_drawing::point;
constexpr svg_drawing::text_style pale_in_the_middle{.colour = svg_drawing::pale_ink,
                                                     .anchor = "middle"};

/// Maps speed-ups or efficiencies to places. Equal factors of workers, and of speed-ups, are equal
/// distances, so that the ideal speed-up is a straight line. Efficiencies begin at 0.
struct panel {
  double left;
  double right;
  double most_workers;
  double least_value;  ///< of speed-ups: a power of 2
  double most_value;
  bool per_worker;

  [[nodiscard]] double x(double workers) const {
    const double share = most_workers <= 1 ? 0.5 : std::log2(workers) / std::log2(most_workers);
    return left + share * (right - left);
  }
  [[nodiscard]] double y(double value) const {
    const double share = per_worker
                             ? value / most_value
                             : std::log2(value / least_value) / std::log2(most_value / least_value);
    return plot_bottom - std::clamp(share, 0.0, 1.0) * (plot_bottom - plot_top);
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
      include(point.workers, point.speedup);
      include(point.workers, {point.limit.median, point.limit.median, point.limit.median});
      for (const engine_times& other : point.others) include(point.workers, other.speedup);
    }
    // As far as the workers, so that the ideal ends in the corner.
    most_speedup_ = std::max({most_speedup_, most_workers_, 2 * least_speedup_});
    for (const auto& [workers, speedup] : forecasts_) {
      most_speedup_ = std::max(most_speedup_, speedup);
    }
  }

  std::string drawn() {
    drawing_.text({60, 28},
                  fmt::format("{}: {}speed-up over the serial twin{}", report_.workload,
                              report_.weak ? "scaled " : "",
                              report_.weak ? "; the problem grows with the workers" : ""),
                  {.weight = "600", .size = 17});
    drawing_.text({60, 47},
                  fmt::format("balancer {}, placement {}; {}{}", report_.options.balancer.name(),
                              report_.placement, rounds_text(report_),
                              report_.serial_seconds.size() == 1 ? "" : "; bars show the range"),
                  {.colour = svg_drawing::pale_ink});
    put_speedup({60, 560, most_workers_, least_speedup_, most_speedup_, false});
    put_efficiency({650, 920, static_cast<double>(report_.points.back().workers), 0,
                    std::max(1.1, most_efficiency_ * 1.05), true});
    return drawing_.to_string(plot_width, plot_height,
                              fmt::format("Speed-up of {} with EvenCube", report_.workload));
  }

 private:
  /// Makes room for a speed-up.
  void include(unsigned workers, const spread& speedup) {
    // A curve that is lower than this ends at the axis.
    constexpr double lowest = 1.0 / 1024;
    while (least_speedup_ > std::max(speedup.least, lowest)) least_speedup_ /= 2;
    most_speedup_ = std::max(most_speedup_, speedup.most);
    most_efficiency_ = std::max(most_efficiency_, speedup.most / workers);
  }

  void put_line(const std::vector<place>& places, const char* colour, double thick, bool dashed) {
    drawing_.line(places, {.colour = colour, .width = thick, .dashes = dashed ? "5 4" : ""});
  }

  void put_value(const panel& on, double value, const std::string& text) {
    const double y = on.y(value);
    drawing_.line({{on.left, y}, {on.right, y}}, {});
    drawing_.text({on.left - 8, y + 4}, text, {.colour = svg_drawing::pale_ink, .anchor = "end"});
  }

  /// Efficiencies at steps that suit, speed-ups at powers of 2.
  void put_axes(const panel& on) {
    if (on.per_worker) {
      const double power = std::pow(10, std::floor(std::log10(on.most_value / 4)));
      const double rough = on.most_value / 4 / power;
      const double step = (rough < 1.5 ? 1 : rough < 3.5 ? 2 : rough < 7.5 ? 5 : 10) * power;
      for (double value = 0; value <= on.most_value; value += step) {
        put_value(on, value, fmt::format("{:.0f} %", 100 * value));
      }
    } else {
      for (double value = on.least_value; value <= on.most_value; value *= 2) {
        put_value(on, value,
                  value < 1 ? fmt::format("1/{:.0f}", 1 / value) : fmt::format("{:.0f}", value));
      }
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

  /// The other engines' medians.
  void put_others(const panel& on) {
    for (std::size_t e = 0; e < report_.points.back().others.size(); ++e) {
      const char* const colour = colours_of_others[e % colours_of_others.size()];
      std::vector<place> places;
      for (const speedup_point& point : report_.points) {
        const engine_times& other = point.others[e];
        places.push_back(on.at(point.workers, other.speedup.median));
        drawing_.circle(places.back(), 3, colour,
                        fmt::format("{}, {} worker{}: {:.2f}", other.engine, point.workers,
                                    point.workers == 1 ? "" : "s", other.speedup.median));
      }
      put_line(places, colour, 1.5, false);
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
                      fmt::format("{} worker{}: {:.2f} ({:.2f} to {:.2f})", point.workers,
                                  point.workers == 1 ? "" : "s", point.speedup.median,
                                  point.speedup.least, point.speedup.most));
    }
  }

  void put_speedup(const panel& on) {
    put_axes(on);
    put_line({on.at(1, 1), on.at(most_workers_, most_workers_)}, ideal_colour, 1.5, false);
    put_limit(on);
    const speedup_point& last = report_.points.back();
    std::vector<place> beyond{on.at(last.workers, last.speedup.median)};
    for (const auto& [workers, speedup] : forecasts_) {
      put_count(on, workers);
      beyond.push_back(on.at(workers, speedup));
    }
    if (beyond.size() > 1) put_line(beyond, measured_colour, 1.5, true);
    put_others(on);
    put_points(on);
    put_legend(on);
  }

  void put_legend(const panel& on) {
    struct entry {
      const char* colour;
      bool dashed;
      std::string text;
    };
    const auto& others = report_.points.back().others;
    std::vector<entry> entries{{measured_colour, false, others.empty() ? "measured" : "EvenCube"},
                               {limit_colour, true, "serial runs in parallel: the machine's limit"},
                               {ideal_colour, false, "ideal"}};
    if (!forecasts_.empty()) {
      entries.push_back({measured_colour, true,
                         report_.weak ? "forecast by Gustafson's law, not measured"
                                      : "forecast by Amdahl's law, not measured"});
    }
    for (std::size_t e = 0; e < others.size(); ++e) {
      entries.push_back({colours_of_others[e % colours_of_others.size()], false, others[e].engine});
    }
    // Below the axes, where no curve comes: rows of two.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& [colour, dashed, text] = entries[i];
      const double x = on.left + (i % 2 == 0 ? 0 : 200);
      const double y = plot_bottom + 62 + 19 * static_cast<double>(i / 2);
      put_line({{x, y}, {x + 26, y}}, colour, 2, dashed);
      drawing_.text({x + 34, y + 4}, text, {});
    }
  }

  void put_efficiency(const panel& on) {
    put_axes(on);
    put_line({{on.left, on.y(1)}, {on.right, on.y(1)}}, ideal_colour, 1.5, false);
    put_limit(on);
    put_others(on);
    put_points(on);
    drawing_.text({on.left, plot_top - 12}, "efficiency", {.weight = "600"});
  }

  const speedup_report& report_;
  std::vector<speedup_forecast> forecasts_;
  double most_workers_ = 1;
  double least_speedup_ = 1;
  double most_speedup_ = 1;
  double most_efficiency_ = 0;
  svg_drawing drawing_;
};

}  // namespace

std::string speedup_plot(const speedup_report& report) { return picture{report}.drawn(); }

}  // namespace evencube::cli
