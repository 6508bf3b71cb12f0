#include "speedup_plot.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "speedup_report.hpp"

namespace evencube::cli {
namespace {

constexpr double plot_width = 960;
constexpr double plot_height = 485;
constexpr double plot_top = 70;
constexpr double plot_bottom = 390;
constexpr const char* measured_colour = "#0f766e";
constexpr const char* limit_colour = "#8a97a6";
constexpr const char* ideal_colour = "#c2cad3";

struct place {
  double x;
  double y;
};

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
    put(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" )"
        R"(font-family="DejaVu Sans, Segoe UI, sans-serif" font-size="12">)",
        plot_width, plot_height);
    put(R"(<title>Speed-up of {0} with EvenCube</title><rect width="100%" height="100%" )"
        R"(fill="#ffffff"/>)",
        report_.workload);
    put(R"(<text x="60" y="28" font-size="17" font-weight="600" fill="#1d2733">{}: {}speed-up )"
        R"(over its serial twin{}</text>)",
        report_.workload, report_.weak ? "scaled " : "",
        report_.weak ? ", the problem growing with the workers" : "");
    put(R"(<text x="60" y="47" fill="#5c6b7c">balancer {}, placement {}; {}{}</text>)",
        report_.options.balancer, report_.placement, rounds_text(report_),
        report_.serial_seconds.size() == 1 ? "" : ", bars from least to most");
    put_speedup(panel{60, 560, most_workers_, most_speedup_ * 1.05});
    put_efficiency(panel{650, 920, static_cast<double>(report_.points.back().workers),
                         std::max(1.1, most_efficiency() * 1.05)});
    put("</svg>");
    return text_;
  }

 private:
  template <typename... Values>
  void put(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
    text_ += '\n';
  }

  [[nodiscard]] double most_efficiency() const {
    double most = 0;
    for (const speedup_point& point : report_.points) {
      most = std::max(most, point.speedup.most / point.workers);
    }
    return most;
  }

  void put_line(const std::vector<place>& places, const char* colour, double thick, bool dashed) {
    std::string points;
    for (const auto& [x, y] : places) points += fmt::format("{:.1f},{:.1f} ", x, y);
    put(R"(<polyline points="{}" fill="none" stroke="{}" stroke-width="{}"{}/>)", points, colour,
        thick, dashed ? R"( stroke-dasharray="5 4")" : "");
  }

  /// Frame, numbers of workers, and the values at steps that suit.
  void put_axes(const panel& on, const std::vector<double>& workers, double most, bool shares) {
    const double power = std::pow(10, std::floor(std::log10(most / 4)));
    const double rough = most / 4 / power;
    const double step = (rough < 1.5 ? 1 : rough < 3.5 ? 2 : rough < 7.5 ? 5 : 10) * power;
    for (double value = 0; value <= most; value += step) {
      const double y = on.y(value);
      put(R"(<line x1="{0}" y1="{1:.1f}" x2="{2}" y2="{1:.1f}" stroke="#e8ecf1"/>)", on.left(), y,
          on.right());
      put(R"(<text x="{}" y="{:.1f}" text-anchor="end" fill="#5c6b7c">{}</text>)", on.left() - 8,
          y + 4,
          shares ? fmt::format("{:.0f} %", 100 * value)
                 : fmt::format("{:.{}f}", value, step < 1 ? 1 : 0));
    }
    for (const double count : workers) {
      put(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#5c6b7c">{}</text>)", on.x(count),
          plot_bottom + 18, count);
    }
    put(R"(<text x="{:.1f}" y="{}" text-anchor="middle" fill="#1d2733">workers</text>)",
        (on.left() + on.right()) / 2, plot_bottom + 38);
  }

  /// The machine's limit: a line, and a mark at each number of workers, for one makes no line.
  void put_limit(const std::vector<place>& limit) {
    put_line(limit, limit_colour, 1.5, true);
    for (const auto& [x, y] : limit) {
      put(R"(<rect x="{:.1f}" y="{:.1f}" width="6" height="6" fill="{}"><title>the machine's )"
          R"(limit</title></rect>)",
          x - 3, y - 3, limit_colour);
    }
  }

  void put_points(const panel& on, bool per_worker) {
    std::vector<place> places;
    for (const speedup_point& point : report_.points) {
      const double by = per_worker ? point.workers : 1;
      const double x = on.x(point.workers);
      places.push_back({x, on.y(point.speedup.median / by)});
      put(R"(<line x1="{0:.1f}" y1="{1:.1f}" x2="{0:.1f}" y2="{2:.1f}" stroke="{3}" )"
          R"(stroke-width="5" stroke-opacity="0.3"/>)",
          x, on.y(point.speedup.least / by), on.y(point.speedup.most / by), measured_colour);
    }
    put_line(places, measured_colour, 2, false);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const speedup_point& point = report_.points[i];
      put(R"(<circle cx="{:.1f}" cy="{:.1f}" r="4" fill="{}"><title>{} workers: {:.2f} ({:.2f} to )"
          R"({:.2f})</title></circle>)",
          places[i].x, places[i].y, measured_colour, point.workers, point.speedup.median,
          point.speedup.least, point.speedup.most);
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
      const char* dashes;
      const char* text;
    };
    std::vector<entry> entries{{measured_colour, "", "measured"},
                               {limit_colour, "5 4", "serial copies at once: the machine's limit"},
                               {ideal_colour, "", "ideal"}};
    if (!forecasts_.empty()) {
      entries.push_back({measured_colour, "5 4",
                         report_.weak ? "forecast by Gustafson's law, not measured"
                                      : "forecast by Amdahl's law, not measured"});
    }
    // Below the axes, where no curve comes: two rows of two.
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const auto& [colour, dashes, text] = entries[i];
      const double x = on.left() + (i % 2 == 0 ? 0 : 200);
      const double y = plot_bottom + 62 + (i < 2 ? 0 : 19);
      put(R"(<line x1="{0}" y1="{1}" x2="{2}" y2="{1}" stroke="{3}" stroke-width="2" )"
          R"(stroke-dasharray="{4}"/>)",
          x, y, x + 26, colour, dashes);
      put(R"(<text x="{}" y="{}" fill="#1d2733">{}</text>)", x + 34, y + 4, text);
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
    put(R"(<text x="{}" y="{}" font-weight="600" fill="#1d2733">efficiency</text>)", on.left(),
        plot_top - 12);
  }

  const speedup_report& report_;
  std::vector<speedup_forecast> forecasts_;
  double most_workers_ = 1;
  double most_speedup_ = 1;
  std::string text_;
};

}  // namespace

std::string speedup_plot(const speedup_report& report) { return picture{report}.drawn(); }

}  // namespace evencube::cli
