#include <algorithm>
#include <charconv>
#include <limits>
#include <stdexcept>

#include <evencube/workloads/link_graph.hpp>

#include "byte_stream.hpp"
#include "random_bits.hpp"

namespace evencube::workloads {
namespace {

/// Puts items into order by key(item) < keys, those of one key as they were.
template <typename Key>
std::vector<graph_link> ordered(const std::vector<graph_link>& links, std::uint32_t keys, Key key) {
  std::vector<std::uint64_t> place(std::size_t{keys} + 1);
  for (const auto& link : links) ++place[key(link) + std::size_t{1}];
  for (std::size_t k = 0; k < keys; ++k) place[k + 1] += place[k];
  std::vector<graph_link> sorted(links.size());
  for (const auto& link : links) sorted[place[key(link)]++] = link;
  return sorted;
}

constexpr std::uint64_t most_vertices = std::uint64_t{1} << 31;
/// Vertices that a file may name whatever its size, and for each of its bytes.
constexpr std::uint64_t trusted_vertices = std::uint64_t{1} << 20;
constexpr std::uint64_t vertices_per_byte = 8;
/// The shortest line of an entry: "1 1" and its end.
constexpr std::uint64_t shortest_entry = 4;

bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\r'; }

std::string lower(std::string_view word) {
  std::string made{word};
  for (char& letter : made) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return made;
}

/// The lines of a text, one at a time, taken apart into words.
class line_reader {
 public:
  line_reader(std::string_view text, const std::string& name) : rest_{text}, name_{name} {}

  /// Takes the next line that is neither empty nor a comment; false at the end.
  bool next() {
    while (!rest_.empty()) {
      const auto end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++number_;
      skip_spaces();
      if (!line_.empty() && (line_.front() != '%' || number_ == 1)) return true;
    }
    ++number_;
    return false;
  }

  /// The next word of the line; empty where there is none.
  std::string_view word() {
    skip_spaces();
    const auto end =
        static_cast<std::size_t>(std::ranges::find_if(line_, is_space) - line_.begin());
    const auto found = line_.substr(0, end);
    line_.remove_prefix(end);
    return found;
  }

  std::uint64_t whole(const char* what, std::uint64_t least, std::uint64_t most) {
    const auto text = word();
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || problem != std::errc{} || end != text.data() + text.size() ||
        value < least || value > most) {
      fail(std::string{what} + " \"" + shown(text) + "\" is no whole number within " +
           std::to_string(least) + " .. " + std::to_string(most));
    }
    return value;
  }

  void end_of_line() {
    if (const auto more = word(); !more.empty())
      fail("\"" + shown(more) + "\" is one word too many");
  }

  [[noreturn]] void fail(const std::string& why) const {
    throw input_error{name_ + ":" + std::to_string(number_) + ": " + why};
  }

  static std::string shown(std::string_view word) { return std::string{word.substr(0, 40)}; }

 private:
  void skip_spaces() {
    while (!line_.empty() && is_space(line_.front())) line_.remove_prefix(1);
  }

  std::string_view rest_;
  const std::string& name_;
  std::string_view line_;
  std::uint64_t number_ = 0;
};

struct matrix_kind {
  bool has_values;
  bool symmetric;
};

matrix_kind read_kind(line_reader& lines) {
  const auto one_of = [&](const char* what, std::initializer_list<std::string_view> allowed) {
    const auto word = lower(lines.word());
    if (std::ranges::find(allowed, word) == allowed.end()) {
      std::string list;
      for (const auto one : allowed) list.append(list.empty() ? "" : " or ").append(one);
      lines.fail(std::string{what} + " \"" + lines.shown(word) + "\": only " + list +
                 " can be a graph");
    }
    return word;
  };
  if (!lines.next() || lines.word() != "%%MatrixMarket") {
    lines.fail("no Matrix Market file: it must begin with %%MatrixMarket");
  }
  one_of("object", {"matrix"});
  one_of("format", {"coordinate"});
  const auto field = one_of("field", {"pattern", "real", "integer"});
  const auto symmetry = one_of("symmetry", {"general", "symmetric"});
  lines.end_of_line();
  return {field != "pattern", symmetry == "symmetric"};
}

}  // namespace

link_graph::link_graph(std::uint32_t vertices, std::vector<graph_link> links)
    : begins_(std::size_t{vertices} + 1), leaving_(vertices) {
  for (const auto& link : links) {
    if (link.from >= vertices || link.to >= vertices) {
      throw std::invalid_argument{"a link from " + std::to_string(link.from) + " to " +
                                  std::to_string(link.to) + " in a graph of " +
                                  std::to_string(vertices) + " vertices"};
    }
  }
  links = ordered(links, vertices, [](const graph_link& link) { return link.from; });
  links = ordered(links, vertices, [](const graph_link& link) { return link.to; });
  links.erase(std::unique(links.begin(), links.end()), links.end());
  sources_.reserve(links.size());
  for (const auto& link : links) {
    sources_.push_back(link.from);
    ++leaving_[link.from];
    ++begins_[link.to + std::size_t{1}];
  }
  for (std::size_t vertex = 0; vertex < vertices; ++vertex) begins_[vertex + 1] += begins_[vertex];
}

link_graph make_power_law_graph(std::uint32_t vertices, std::uint64_t links, std::uint64_t seed) {
  random_stream random{mix_bits(seed)};
  std::vector<graph_link> made;
  made.reserve(links);
  for (std::uint64_t i = 0; i < links; ++i) {
    const auto from = static_cast<std::uint32_t>(random.next() % vertices);
    const double even = random.fraction();
    const double square = even * even;
    made.push_back({from, static_cast<std::uint32_t>(square * square * vertices)});
  }
  return {vertices, std::move(made)};
}

link_graph parse_matrix_market(std::string_view text, const std::string& name) {
  line_reader lines{text, name};
  const auto kind = read_kind(lines);
  if (!lines.next()) lines.fail("the file ends before its size");
  const auto rows = lines.whole("rows", 1, most_vertices);
  const auto columns = lines.whole("columns", 1, most_vertices);
  const auto entries = lines.whole("entries", 0, std::numeric_limits<std::int64_t>::max());
  lines.end_of_line();
  if (rows != columns) {
    lines.fail(std::to_string(rows) + " x " + std::to_string(columns) +
               ": a graph has as many rows as columns");
  }
  if (rows > trusted_vertices && rows > vertices_per_byte * text.size()) {
    lines.fail(std::to_string(rows) + " vertices, for which the file is very small");
  }
  if (entries > text.size() / shortest_entry + 1) {
    lines.fail(std::to_string(entries) + " entries cannot stand in a file of " +
               std::to_string(text.size()) + " bytes");
  }
  std::vector<graph_link> links;
  links.reserve(entries * (kind.symmetric ? 2 : 1));
  for (std::uint64_t entry = 0; entry < entries; ++entry) {
    if (!lines.next()) {
      lines.fail("the file ends after " + std::to_string(entry) + " of " + std::to_string(entries) +
                 " entries");
    }
    const auto row = static_cast<std::uint32_t>(lines.whole("row", 1, rows) - 1);
    const auto column = static_cast<std::uint32_t>(lines.whole("column", 1, columns) - 1);
    if (kind.has_values) {
      const auto value = lines.word();
      double number = 0;
      const auto* const end = value.data() + value.size();
      const auto* const digits = value.data() + (value.starts_with('+') ? 1 : 0);
      const auto read = std::from_chars(digits, end, number);
      if (value.empty() || read.ec == std::errc::invalid_argument || read.ptr != end) {
        lines.fail("value \"" + lines.shown(value) + "\" is no number");
      }
    }
    lines.end_of_line();
    links.push_back({row, column});
    if (kind.symmetric && row != column) links.push_back({column, row});
  }
  if (lines.next()) lines.fail("there are more than " + std::to_string(entries) + " entries");
  return {static_cast<std::uint32_t>(rows), std::move(links)};
}

link_graph read_matrix_market(const std::filesystem::path& file) {
  return parse_matrix_market(read_text(file), file.string());
}

}  // namespace evencube::workloads
