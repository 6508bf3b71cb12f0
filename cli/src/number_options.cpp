#include "number_options.hpp"

#include <fmt/core.h>

#include "failure.hpp"

namespace evencube::cli {

CLI::Option* detail::add_text_option(CLI::App& command, const std::string& name,
                                     const std::string& help,
                                     const std::function<void(const std::string&)>& read) {
  return command.add_option_function<std::string>(name, read, help)->type_name("NUMBER");
}

void add_real_number(CLI::App& command, const std::string& name, std::optional<double>& target,
                     reals allowed, const std::string& help) {
  detail::add_text_option(command, name, help, [&target, name, allowed](const std::string& text) {
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
