#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "completion.hpp"
#include "number_text.hpp"

namespace evencube::cli {

// What these options take is checked while the command line is parsed, which throws usage_error.

/// Which whole numbers an option takes. CLI11 alone would read -1 as a very large number of no
/// sign, nothing as 0, and not say what is allowed.
struct whole_range {
  std::int64_t least = std::numeric_limits<std::int64_t>::min();
  std::int64_t most = std::numeric_limits<std::int64_t>::max();
};

inline constexpr whole_range any_seed{0, std::numeric_limits<std::int64_t>::max()};

/// An option whose text `read` makes a number of.
CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& help,
                        const std::function<void(const std::string&)>& read);

/// An option that takes a whole number into `target`, an integer, whose value then is the default,
/// or an optional one.
template <typename Target>
void add_whole_number(CLI::App& command, const std::string& name, Target& target, whole_range in,
                      const std::string& help) {
  auto* const option = add_number(command, name, help, [&target, name, in](const auto& text) {
    const std::int64_t value = whole_number(name, text, in.least, in.most);
    if constexpr (std::is_integral_v<Target>) {
      target = static_cast<Target>(value);
    } else {
      target = static_cast<typename Target::value_type>(value);
    }
  });
  if constexpr (std::is_integral_v<Target>) option->default_str(std::to_string(target));
}

/// Which real numbers an option takes; infinity and NaN are never allowed.
enum class reals { not_negative, positive };

/// Adds an option that takes a real number.
void add_real_number(CLI::App& command, const std::string& name, std::optional<double>& target,
                     reals allowed, const std::string& help);

/// An option that takes a text into `target`, whose value then is the default if there is one, or
/// an optional text. Completion offers `words`, among others that there may be.
template <typename Target>
CLI::Option* add_text(CLI::App& command, const std::string& name, Target& target,
                      const std::vector<std::string>& words, const std::string& help) {
  auto* const option = command.add_option(name, target, help);
  if constexpr (std::is_same_v<Target, std::string>) {
    if (!target.empty()) option->capture_default_str();
  }
  offer(option, words);
  return option;
}

/// Makes an option refuse what is none of `words`.
void allow_only(CLI::Option* option, const std::vector<std::string>& words);

/// Makes an option refuse what is none of `known`: `unknown KIND "oen"; did you mean "oem"?`, and
/// the known words.
void require_known(CLI::Option* option, const std::string& kind,
                   const std::vector<std::string>& known);

/// Puts the options that are added to a command during its lifetime under one heading of the help.
class heading {
 public:
  heading(CLI::App& command, const std::string& text);
  heading(const heading&) = delete;
  heading& operator=(const heading&) = delete;
  ~heading();

 private:
  CLI::OptionDefaults& defaults_;
  std::string before_;
};

/// The headings that several commands have.
namespace headings {
inline constexpr const char* what_runs = "What runs";
inline constexpr const char* workload = "Options of the workload";
inline constexpr const char* machine = "Machine and workers";
inline constexpr const char* strategy = "Strategy";
inline constexpr const char* results = "Results";
}  // namespace headings

/// Adds an option that takes one of `words` and no other value.
template <typename Target>
CLI::Option* add_choice(CLI::App& command, const std::string& name, Target& target,
                        const std::vector<std::string>& words, const std::string& help) {
  CLI::Option* const added = add_text(command, name, target, words, help);
  allow_only(added, words);
  return added;
}

}  // namespace evencube::cli
