#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <evencube/papers/reproduction.hpp>
#include <evencube/simulator/statistics.hpp>

// The tools for writing experiments. An experiment fills a notebook: it states its parameters,
// draws samples, adds rows to tables, and gives the paper's values with ours. The agreement of a
// value with the paper's is computed here, from numbers; no experiment names an agreement.

namespace evencube::papers {

/// `value` with `digits` digits after the point.
[[nodiscard]] inline std::string fixed(double value, int digits) {
  return fmt::format("{:.{}f}", value, digits);
}

/// A mean and the half width of its confidence interval.
[[nodiscard]] inline std::string interval(const simulator::summary& found, int digits) {
  return fixed(found.mean, digits) + " +- " + fixed(found.half_width, digits);
}

/// Adds a row; whole numbers become text.
template <class... Fields>
void add(data_table& table, const Fields&... fields) {
  table.rows.push_back({fmt::to_string(fields)...});
}

/// The conditions that a comparison found true. The strongest true condition decides; if none is
/// true, the agreement is `opposite`.
struct conditions {
  bool equal = false;
  bool within = false;
  bool direction = false;
};

/// Our value under one reading, and its agreement with the paper's value.
class finding {
 public:
  // NOLINTBEGIN(google-explicit-constructor): a row takes texts and numbers without a conversion
  /// Equal if `ours` is exactly the paper's text, otherwise opposite.
  // A number is a finding. NOLINTNEXTLINE(google-explicit-constructor)
  finding(std::string ours) : ours_{std::move(ours)} {}
  // NOLINTNEXTLINE(google-explicit-constructor)
  finding(std::integral auto ours) : ours_{std::to_string(ours)} {}
  // NOLINTEND(google-explicit-constructor)
  finding(std::string ours, conditions what);

  /// The finding under a reading that was chosen for its result: it counts as a direction at most.
  [[nodiscard]] finding chosen() &&;

  /// A paper that says nothing is written as `nothing_said`; nothing agrees with it or contradicts
  /// it.
  [[nodiscard]] other_finding against(const std::string& paper, std::string why) const;

 private:
  std::string ours_;
  std::optional<agreement> how_;
  bool chosen_ = false;
};

/// What stands in the place of the paper's value if the paper has none.
inline constexpr const char* nothing_said = "-";

/// A statement that is proven or checked in every case: equal if it holds.
[[nodiscard]] finding proven(bool holds, std::string ours);
[[nodiscard]] finding proven(bool holds, std::string ours, std::string otherwise);

/// A claim without a number, or a bound that samples keep.
[[nodiscard]] finding claim(bool holds, std::string ours);

/// A number that is within `tolerance` of the paper's, relative to it.
[[nodiscard]] finding near(double ours, double paper, double tolerance, std::string text);

/// A gain: within if within `tolerance` of the paper's, relative to it; the same direction if it is
/// certainly above 0.
[[nodiscard]] finding margin(const simulator::summary& ours, double paper, double tolerance,
                             std::string text);
[[nodiscard]] finding margin(double ours, double paper, double tolerance, std::string text);

/// The columns that an axis of a picture shows.
struct axis {
  std::string label;
  std::vector<std::string> columns;
};

struct look {
  std::string series = {};
  bool bars = false;
  bool log_x = false;
  bool log_y = false;
};

/// Records what an experiment does and finds.
class notebook {
 public:
  notebook(const reproduce_options& options, reproduction& filled)
      : done{filled}, options_{options} {}

  reproduction& done;

  [[nodiscard]] std::uint64_t seed() const noexcept { return options_.seed; }
  [[nodiscard]] bool long_form() const noexcept { return options_.long_form; }
  /// The size of a sample: `long_one` in the long form, otherwise `ordinary`.
  [[nodiscard]] std::size_t sized(std::size_t ordinary, std::size_t long_one) const noexcept {
    return options_.long_form ? long_one : ordinary;
  }

  /// States a best reading that was chosen for its result, so that every finding under it counts as
  /// a direction at most.
  void choose_best_reading(std::string text);

  /// Adds a table, whose address stays valid.
  data_table& table(std::string name, std::vector<std::string> columns);

  /// Adds a verdict under the printed reading, and one under the best reading if that gives
  /// another.
  void row(std::string what, std::string paper, const finding& printed, std::string why = {});
  void row(std::string what, std::string paper, const finding& printed, std::string why,
           const finding& best, std::string best_why = {});

  /// Adds a picture of a table.
  void draw(std::string name, std::string title, const data_table& table, axis x, axis y,
            look how = {});

  /// Runs body(i) for i in [0, count) on the options' executor. `share` is the share of this run in
  /// the whole experiment, for the progress. Does not return if the caller stops the experiment.
  void run(std::size_t count, double share, const std::function<void(std::size_t)>& body);

  /// Returns the values of body(i), in the order of i.
  template <class T>
  [[nodiscard]] std::vector<T> sample(std::size_t count, double share, auto&& body) {
    std::vector<T> values(count);
    run(count, share, [&](std::size_t i) { values[i] = body(i); });
    return values;
  }

  /// The share of the experiment that has not been run yet.
  [[nodiscard]] double left() const noexcept { return 1 - begun_; }

 private:
  const reproduce_options& options_;
  double begun_ = 0;
  bool best_is_chosen_ = false;
};

/// A summary of the values that `get` returns for each element of `values`.
template <class Values>
[[nodiscard]] simulator::summary over(const Values& values, auto&& get) {
  std::vector<double> numbers;
  for (const auto& value : values) numbers.push_back(static_cast<double>(get(value)));
  return simulator::summarise(numbers);
}

// The experiments, one function for each table or figure. The registry in experiments.cpp names
// them.

void berenbrink_theorem(notebook& book);
void rim_table_1(notebook& book);
void rim_figure_3(notebook& book);
void rim_figure_6(notebook& book);
void rim_figures_7_8(notebook& book);
void rim_figure_9(notebook& book);
void rim_figures_10_11(notebook& book);
void rim_figures_12_13(notebook& book);
void rim_figures_14_21(notebook& book);
void rim_figures_22_23(notebook& book);
void rim_table_2(notebook& book);
void rim_hybrid(notebook& book);
void rim_abstract(notebook& book);
void loh_figures_1_3(notebook& book);
void loh_table_a(notebook& book);
void loh_table_1(notebook& book);
void loh_tables_2_3(notebook& book);
void loh_figures_7_8(notebook& book);
void cybenko_theorems(notebook& book);
void cybenko_tables(notebook& book);
void mehrotra_theory(notebook& book);
/// V_k, D' and P(D >= 1) by sampling, a part of mehrotra_theory; 0.2 of it.
void mehrotra_shifts(notebook& book);
void mehrotra_application(notebook& book);
void mehrotra_loop(notebook& book);

}  // namespace evencube::papers
