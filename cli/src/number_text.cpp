#include "number_text.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>
#include <type_traits>

#include "failure.hpp"

namespace evencube::cli {
namespace {

/// All of the text as a number that is finite.
template <typename Number>
std::errc read(std::string_view text, Number& value) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc{}) return problem;
  const bool whole = end == text.data() + text.size() && std::isfinite(value);
  return whole ? std::errc{} : std::errc::invalid_argument;
}

/// `kind` as in "is not a kind".
template <typename Number>
std::vector<Number> numbers(std::string_view what, std::string_view text, std::string_view kind) {
  if (text.empty()) throw usage_error{fmt::format("{}: the list is empty", what)};
  std::vector<Number> values;
  for (const std::string_view entry : entries_of(text)) {
    Number value = 0;
    const std::errc problem = read(entry, value);
    if (problem == std::errc{}) {
      values.push_back(value);
      continue;
    }
    constexpr auto most = std::numeric_limits<Number>::max();
    const bool too_large = std::is_integral_v<Number> && problem == std::errc::result_out_of_range;
    throw usage_error{fmt::format("{}: entry {}, \"{}\", {}", what, values.size(), entry,
                                  too_large ? fmt::format("does not fit 64 bits (at most {})", most)
                                            : fmt::format("is not a {}", kind))};
  }
  return values;
}

}  // namespace

std::string duration_text(double seconds) {
  struct unit {
    double length;
    const char* name;
  };
  constexpr std::array<unit, 4> units = {{{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}}};
  for (const auto& [length, name] : units) {
    const double value = seconds / length;
    // 0.9995 and more would be shown as 1.000 of this unit.
    if (value >= 0.9995) {
      const int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
      return fmt::format("{:.{}f} {}", value, decimals, name);
    }
  }
  return "0 s";
}

std::string share_text(double share) { return fmt::format("{:.1f} %", share * 100); }

std::string number_or_nothing(const std::optional<double>& value) {
  return value ? fmt::format("{:.4f}", *value) : std::string{};
}

std::int64_t whole_number(std::string_view what, std::string_view text, std::int64_t least,
                          std::int64_t most) {
  std::int64_t value = 0;
  if (read(text, value) != std::errc{} || value < least || value > most) {
    using limits = std::numeric_limits<std::int64_t>;
    const auto range = least == limits::min() && most == limits::max()
                           ? std::string{"that fits 64 bits"}
                       : most == limits::max() ? fmt::format("of at least {}", least)
                                               : fmt::format("from {} to {}", least, most);
    throw usage_error{fmt::format("{} \"{}\": must be a whole number {}", what, text, range)};
  }
  return value;
}

double real_number(std::string_view what, std::string_view text) {
  double value = 0;
  if (read(text, value) != std::errc{}) {
    throw usage_error{fmt::format("{} \"{}\": must be a number", what, text)};
  }
  return value;
}

std::vector<std::string_view> entries_of(std::string_view text) {
  std::vector<std::string_view> entries;
  while (true) {
    const auto comma = text.find(',');
    entries.push_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return entries;
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::int64_t> whole_numbers(std::string_view what, std::string_view text) {
  return numbers<std::int64_t>(what, text, "whole number");
}

std::vector<double> real_numbers(std::string_view what, std::string_view text) {
  return numbers<double>(what, text, "number");
}

std::map<std::string, std::string, std::less<>> key_values(std::string_view what,
                                                           const std::vector<std::string>& pairs) {
  std::map<std::string, std::string, std::less<>> values;
  for (const auto& pair : pairs) {
    const auto equals = pair.find('=');
    if (equals == 0 || equals == std::string::npos) {
      throw usage_error{fmt::format("{} \"{}\": must be of the form key=value", what, pair)};
    }
    if (!values.emplace(pair.substr(0, equals), pair.substr(equals + 1)).second) {
      throw usage_error{fmt::format("{} \"{}\": given twice", what, pair.substr(0, equals))};
    }
  }
  return values;
}

}  // namespace evencube::cli
