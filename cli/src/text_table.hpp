#pragma once

#include <fmt/core.h>

#include <string>
#include <vector>

namespace evencube::cli {

/// Columns of text under headings, as wide as their widest entry. Entries stand on the right, but
/// on the left under a heading that begins with '<', which is not shown.
class text_table {
 public:
  explicit text_table(std::vector<std::string> headings);

  /// Throws std::logic_error unless there is one cell per column.
  void add_cells(std::vector<std::string> cells);

  /// Adds a row of values as fmt writes them. Throws std::logic_error unless there is one value per
  /// column.
  template <typename... Values>
  void add_row(const Values&... values) {
    add_cells({fmt::format("{}", values)...});
  }

  /// All lines, each ended by a new line, none by spaces.
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<bool> left_;
  std::vector<std::vector<std::string>> lines_;  ///< the headings first
};

}  // namespace evencube::cli
