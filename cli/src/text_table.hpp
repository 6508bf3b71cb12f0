#pragma once

#include <string>
#include <vector>

namespace evencube::cli {

/// Columns of text under headings, as wide as their widest entry.
class text_table {
 public:
  enum class alignment { left, right };

  struct column {
    std::string heading;
    alignment side = alignment::right;
  };

  explicit text_table(std::vector<column> columns);

  /// Throws std::logic_error unless there is one cell per column.
  void add_row(std::vector<std::string> cells);

  /// All lines, each ended by a new line, none by spaces.
  [[nodiscard]] std::string to_string() const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace evencube::cli
