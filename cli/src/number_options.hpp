#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>

#include "number_text.hpp"

namespace evencube::cli {

/// Which whole numbers an option takes. CLI11 alone would read -1 as a very large number of no
/// sign, nothing as 0, and not say what is allowed.
struct whole_range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

inline constexpr whole_range any_seed{0, std::numeric_limits<std::int64_t>::max()};

namespace detail {

template <typename Number>
struct held_by {
  using type = Number;
};
template <typename Number>
struct held_by<std::optional<Number>> {
  using type = Number;
};

CLI::Option* add_text_option(CLI::App& command, const std::string& name, const std::string& help,
                             const std::function<void(const std::string&)>& read);

}  // namespace detail

/// An option that takes a whole number into `target`, an integer, whose value then is the default,
/// or an optional one. What is no such number makes parsing throw usage_error.
template <typename Target>
void add_whole_number(CLI::App& command, const std::string& name, Target& target, whole_range in,
                      const std::string& help) {
  using number = typename detail::held_by<Target>::type;
  auto* const option =
      detail::add_text_option(command, name, help, [&target, name, in](const std::string& text) {
        target = static_cast<number>(whole_number(name, text, in.least, in.most));
      });
  if constexpr (std::is_same_v<number, Target>) option->default_str(std::to_string(target));
}

/// Which real numbers an option takes; infinity and NaN are never allowed.
enum class reals { any, not_negative, positive };

/// The same for a real number.
void add_real_number(CLI::App& command, const std::string& name, std::optional<double>& target,
                     reals allowed, const std::string& help);

}  // namespace evencube::cli
