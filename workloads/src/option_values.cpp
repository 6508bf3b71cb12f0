#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>
#include <stdexcept>

#include <evencube/workloads/workload.hpp>

namespace evencube::workloads {
namespace {

std::string shown(double value) {
  std::ostringstream text;
  text.precision(15);
  text << value;
  return text.str();
}

[[noreturn]] void refuse(const workload_option& option, const std::string& value,
                         const std::string& least, const std::string& most) {
  throw std::invalid_argument{"--" + option.name + " " + value + " is not within " + least +
                              " .. " + most};
}

[[noreturn]] void refuse_kind(const workload_option& option, const char* kind) {
  throw std::invalid_argument{"--" + option.name + ": must be " + kind};
}

void check(const workload_option& option, const option_value& value) {
  if (const auto* const whole = std::get_if<whole_option>(&option.kind)) {
    const auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr) refuse_kind(option, "a whole number");
    if (*number < whole->least || *number > whole->most) {
      refuse(option, std::to_string(*number), std::to_string(whole->least),
             std::to_string(whole->most));
    }
  } else if (const auto* const real = std::get_if<real_option>(&option.kind)) {
    const auto* const number = std::get_if<double>(&value);
    if (number == nullptr) refuse_kind(option, "a number");
    if (std::isnan(*number) || *number < real->least || *number > real->most) {
      refuse(option, shown(*number), shown(real->least), shown(real->most));
    }
  } else if (!std::holds_alternative<std::string>(value)) {
    refuse_kind(option, "a text");
  }
}

const workload_option* find(const std::vector<workload_option>& known, std::string_view name) {
  const auto found = std::ranges::find(known, name, &workload_option::name);
  return found == known.end() ? nullptr : &*found;
}

/// The value of that kind, given or usual.
template <typename Value, typename Kind>
Value value_of(const workload_option& option, const workload_options& asked) {
  const auto given = asked.values.find(option.name);
  if (given != asked.values.end()) return std::get<Value>(given->second);
  const auto* const kind = std::get_if<Kind>(&option.kind);
  if (kind == nullptr) throw std::logic_error{"--" + option.name + " is of another kind"};
  return kind->usual;
}

}  // namespace

option_values::option_values(std::string_view workload, const std::vector<workload_option>& known,
                             const workload_options& asked)
    : known_{known}, asked_{asked} {
  for (const auto& [name, value] : asked_.values) {
    const auto* const option = find(known_, name);
    if (option == nullptr) {
      throw std::invalid_argument{"workload " + std::string{workload} + " has no option --" + name};
    }
    check(*option, value);
  }
}

const workload_option& option_values::known(std::string_view name) const {
  const auto* const option = find(known_, name);
  if (option == nullptr) throw std::logic_error{"no option --" + std::string{name}};
  return *option;
}

std::uint64_t option_values::whole(std::string_view name) const {
  return static_cast<std::uint64_t>(value_of<std::int64_t, whole_option>(known(name), asked_));
}

double option_values::real(std::string_view name) const {
  return value_of<double, real_option>(known(name), asked_);
}

std::string option_values::text(std::string_view name) const {
  return value_of<std::string, text_option>(known(name), asked_);
}

std::optional<std::filesystem::path> option_values::file(std::string_view name) const {
  static_cast<void>(known(name));
  const auto given = asked_.values.find(name);
  if (given == asked_.values.end()) return std::nullopt;
  return std::get<std::string>(given->second);
}

}  // namespace evencube::workloads
