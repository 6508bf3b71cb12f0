#include "number_text.hpp"

#include <fmt/core.h>

#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <limits>

#include "failure.hpp"

namespace evencube::cli {
namespace {

/// Calls entry(index, text) for what stands between the commas.
void for_each_entry(std::string_view what, std::string_view text,
                    const std::function<void(std::size_t, std::string_view)>& entry) {
  if (text.empty()) {
    throw usage_error{fmt::format("{}: the list is empty", what)};
  }
  for (std::size_t index = 0;; ++index) {
    const auto comma = text.find(',');
    entry(index, text.substr(0, comma));
    if (comma == std::string_view::npos) {
      return;
    }
    text.remove_prefix(comma + 1);
  }
}

template <typename Number>
std::from_chars_result read(std::string_view text, Number& value) {
  auto result = std::from_chars(text.data(), text.data() + text.size(), value);
  if (result.ec == std::errc{} && result.ptr != text.data() + text.size()) {
    result.ec = std::errc::invalid_argument;
  }
  return result;
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
  const auto result = read(text, value);
  if (result.ec != std::errc{} || value < least || value > most) {
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
  if (read(text, value).ec != std::errc{} || !std::isfinite(value)) {
    throw usage_error{fmt::format("{} \"{}\": must be a number", what, text)};
  }
  return value;
}

std::vector<std::int64_t> whole_numbers(std::string_view what, std::string_view text) {
  std::vector<std::int64_t> values;
  for_each_entry(what, text, [&](std::size_t index, std::string_view entry) {
    std::int64_t value = 0;
    const auto result = read(entry, value);
    if (result.ec == std::errc::result_out_of_range) {
      throw usage_error{fmt::format("{}: entry {}, \"{}\", does not fit 64 bits (at most {})", what,
                                    index, entry, std::numeric_limits<std::int64_t>::max())};
    }
    if (result.ec != std::errc{}) {
      throw usage_error{
          fmt::format("{}: entry {}, \"{}\", is not a whole number", what, index, entry)};
    }
    values.push_back(value);
  });
  return values;
}

std::vector<double> real_numbers(std::string_view what, std::string_view text) {
  std::vector<double> values;
  for_each_entry(what, text, [&](std::size_t index, std::string_view entry) {
    double value = 0;
    if (read(entry, value).ec != std::errc{} || !std::isfinite(value)) {
      throw usage_error{fmt::format("{}: entry {}, \"{}\", is not a number", what, index, entry)};
    }
    values.push_back(value);
  });
  return values;
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
