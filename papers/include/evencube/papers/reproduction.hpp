#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/simulator/simulation.hpp>

namespace evencube::papers {

/// Rows of text under named columns. A number has its significant digits or, if this matters, all
/// digits needed to read it back exactly.
struct data_table {
  std::string name;  ///< file name without extension
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  ///< each as long as `columns`
};

/// How well our result agrees with the paper.
enum class agreement : std::uint8_t {
  /// Our number equals the paper's in all printed digits, or our statement equals the paper's and
  /// was proven or checked exhaustively.
  equal,
  /// A claim without a number holds, or our number is within the tolerance given with the claim.
  within,
  /// The sign agrees with the paper; the magnitude does not.
  direction,
  /// The result is a different number, or the contrary of the paper's claim.
  opposite,
  /// The paper omits details that the comparison needs.
  unstated
};
[[nodiscard]] std::string_view to_string(agreement how) noexcept;

/// The result under a reading of the paper that differs from the printed rules.
struct other_finding {
  std::string ours;
  agreement how;
  std::string why = {};  ///< may be empty
};

/// One number or claim of a paper, with our result.
struct verdict {
  std::string what;
  std::string paper;
  std::string ours;  ///< under the printed rules, with our choices where the paper is silent
  agreement how;
  std::string why;  ///< the known reason for a difference; may be empty
  /// The result under the best reading found; empty if the printed reading is the best.
  /// reproduction::best_reading describes that reading once for all verdicts of the experiment.
  std::optional<other_finding> best = {};

  [[nodiscard]] agreement best_how() const noexcept { return best ? best->how : how; }
  [[nodiscard]] const std::string& best_ours() const noexcept { return best ? best->ours : ours; }
};

/// The number of verdicts for each value of `agreement`, in its order.
struct verdict_counts {
  std::array<std::size_t, 5> printed{};
  std::array<std::size_t, 5> best{};
};

/// A parameter of an experiment and its source: a place in the paper, or "ours".
struct parameter {
  std::string name;
  std::string value;
  std::string source;
};

/// A plot of a table: columns `y` against column `x`, with one curve or group of bars for each
/// value of column `series`. If `series` is empty, all rows are one series.
struct picture {
  std::string name;  ///< file name without extension
  std::string title;
  std::string table;
  std::string x;
  std::vector<std::string> y;
  std::string series;
  std::string x_label;
  std::string y_label;
  bool bars = false;
  bool log_x = false;
  bool log_y = false;
};

/// The results of one experiment.
struct reproduction {
  std::string id;
  std::string title;
  std::string source;  ///< the paper and the place in it
  std::string method;  ///< what was done, in a few sentences
  /// The reading of the paper that fits better than the printed rules, over all cells together.
  std::string best_reading = {};
  std::vector<parameter> parameters;
  std::deque<data_table> tables;  ///< a deque, because one table is filled while others are added
  std::vector<picture> pictures;
  std::vector<verdict> verdicts;
  bool partial = false;  ///< stopped before all samples were drawn
};

struct reproduce_options {
  std::uint64_t seed = 1;
  bool long_form = false;                 ///< larger samples and the 32-node enumeration
  simulator::parallel_executor executor;  ///< if empty, one thread is used, with the same results
  /// Called from time to time with the completed share of the work in [0, 1]. Any thread may call
  /// it, but only one at a time. If it returns false, the experiment stops with a partial result.
  /// May be empty.
  std::function<bool(double share)> progress;
};

class notebook;

/// A reproducible table or figure of a paper.
struct experiment {
  std::string_view id;
  std::string_view title;
  std::string_view source;  ///< the paper and the place in it
  void (*steps)(notebook& book);

  /// Runs the experiment. A partial result has the parts that were complete when the experiment was
  /// stopped.
  [[nodiscard]] reproduction run(const reproduce_options& options) const;
};

/// Returns all experiments, in the order of the papers.
[[nodiscard]] std::span<const experiment> experiments() noexcept;

/// Returns the experiment called `id`; `table-1` is short for `rim-table-1`. For an unknown `id`,
/// throws std::invalid_argument, whose message names `id` and lists all ids.
[[nodiscard]] const experiment& find_experiment(std::string_view id);

/// Counts the verdicts of all reproductions.
[[nodiscard]] verdict_counts count_verdicts(std::span<const reproduction> done) noexcept;

/// Returns the counts as text, such as "53 equal, 35 within, 23 direction, 34 opposite, 3
/// unstated".
[[nodiscard]] std::string to_string(const std::array<std::size_t, 5>& counts);

/// Returns the files of a reproduction as a map from name to text: tables, verdicts and parameters
/// as CSV, and pictures.json for the plotting script. The files need their own folder.
[[nodiscard]] std::map<std::string, std::string> files_of(const reproduction& done);

/// Returns the folder name of a reproduction, which is its id. The folder of a partial reproduction
/// ends in ".partial", so that it never replaces a complete one.
[[nodiscard]] std::string folder_of(const reproduction& done);

/// The extensions of all files in a reproduction's folder, including the pictures drawn there.
inline constexpr std::array<std::string_view, 4> reproduction_endings{".csv", ".json", ".png",
                                                                      ".svg"};

/// Returns a 64-bit hash of everything that is written: parameters, tables, verdicts. Barring
/// collisions, it differs if anything written differs. The hash depends on the seed, but neither on
/// the machine nor on the number of threads.
[[nodiscard]] std::uint64_t hash_of(std::span<const reproduction> done);

/// Returns the Python program that draws the pictures of written reproductions: `python3 -
/// DIRECTORY...`. Without matplotlib, the program exits with status 3.
[[nodiscard]] std::string_view plot_script() noexcept;

/// Returns the reproductions as one Markdown page, with pictures at
/// `pictures`/folder_of(...)/name.svg.
[[nodiscard]] std::string to_markdown(std::span<const reproduction> done,
                                      const std::string& pictures);

}  // namespace evencube::papers
