#include "text_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evencube::cli {

text_table::text_table(std::vector<std::string> headings) {
  for (std::string& heading : headings) {
    left_.push_back(heading.starts_with('<'));
    if (left_.back()) heading.erase(0, 1);
  }
  lines_.push_back(std::move(headings));
}

void text_table::add_cells(std::vector<std::string> cells) {
  if (cells.size() != left_.size()) {
    throw std::logic_error{
        fmt::format("a table of {} columns was given a row of {}", left_.size(), cells.size())};
  }
  lines_.push_back(std::move(cells));
}

std::string text_table::to_string() const {
  std::vector<std::size_t> widths(left_.size());
  for (const auto& line : lines_) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      widths[at] = std::max(widths[at], line[at].size());
    }
  }
  std::string text;
  for (const auto& line : lines_) {
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string fill(widths[at] - line[at].size(), ' ');
      text += at == 0 ? "" : "  ";
      text += left_[at] ? line[at] + fill : fill + line[at];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

}  // namespace evencube::cli
