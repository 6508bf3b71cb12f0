#include "text_table.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace evencube::cli {

text_table::text_table(std::vector<column> columns) : columns_{std::move(columns)} {}

void text_table::add_row(std::vector<std::string> cells) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error{"a table of " + std::to_string(columns_.size()) +
                           " columns was given a row of " + std::to_string(cells.size())};
  }
  rows_.push_back(std::move(cells));
}

std::string text_table::to_string() const {
  std::vector<std::size_t> widths;
  for (std::size_t at = 0; at < columns_.size(); ++at) {
    auto width = columns_[at].heading.size();
    for (const auto& row : rows_) {
      width = std::max(width, row[at].size());
    }
    widths.push_back(width);
  }
  std::string text;
  const auto add_line = [&](auto cell_at) {
    for (std::size_t at = 0; at < columns_.size(); ++at) {
      const std::string& cell = cell_at(at);
      const std::string fill(widths[at] - cell.size(), ' ');
      text += at == 0 ? "" : "  ";
      text += columns_[at].side == alignment::left ? cell + fill : fill + cell;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  };
  add_line([&](std::size_t at) -> const std::string& { return columns_[at].heading; });
  for (const auto& row : rows_) {
    add_line([&](std::size_t at) -> const std::string& { return row[at]; });
  }
  return text;
}

}  // namespace evencube::cli
