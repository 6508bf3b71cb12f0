#include "options.hpp"

#include <fmt/format.h>

#include <CLI/Validators.hpp>
#include <algorithm>
#include <span>

#include "failure.hpp"
#include "nearest_word.hpp"

namespace evencube::cli {

void allow_only(CLI::Option* option, const std::vector<std::string>& words) {
  option->check(CLI::Validator{
      [name = option->get_name(), words](const std::string& value) -> std::string {
        // What is empty is refused as everywhere, after this.
        if (value.empty() || std::ranges::find(words, value) != words.end()) return {};
        throw usage_error{fmt::format("{} \"{}\": must be {} or {}{}", name, value,
                                      fmt::join(std::span{words}.first(words.size() - 1), ", "),
                                      words.back(), suggestion(value, words))};
      },
      ""});
}

void require_known(CLI::Option* option, const std::string& kind,
                   const std::vector<std::string>& known) {
  option->check(CLI::Validator{[kind, known](const std::string& value) -> std::string {
                                 if (value.empty() ||
                                     std::ranges::find(known, value) != known.end())
                                   return {};
                                 throw usage_error{unknown_word(kind, value, known)};
                               },
                               ""});
}

heading::heading(CLI::App& command, const std::string& text)
    : defaults_{*command.option_defaults()}, before_{defaults_.get_group()} {
  defaults_.group(text);
}

heading::~heading() { defaults_.group(before_); }

CLI::Option* add_number(CLI::App& command, const std::string& name, const std::string& help,
                        const std::function<void(const std::string&)>& read) {
  return command.add_option_function<std::string>(name, read, help)->type_name("NUMBER");
}

void add_real_number(CLI::App& command, const std::string& name, std::optional<double>& target,
                     reals allowed, const std::string& help) {
  add_number(command, name, help, [&target, name, allowed](const std::string& text) {
    const double value = real_number(name, text);
    if (allowed == reals::positive && value <= 0) {
      throw usage_error{fmt::format("{} \"{}\": must be above 0", name, text)};
    }
    if (allowed == reals::not_negative && value < 0) {
      throw usage_error{fmt::format("{} \"{}\": must not be negative", name, text)};
    }
    target = value;
  });
}

}  // namespace evencube::cli
