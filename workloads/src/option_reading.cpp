#include "option_reading.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace evencube::workloads {

void refuse_unused(std::string_view workload, const workload_options& options,
                   std::initializer_list<option> used) {
  const auto check = [&](option which, bool given, const char* name) {
    if (given && std::ranges::find(used, which) == used.end()) {
      throw std::invalid_argument{"workload " + std::string{workload} + " has no option " + name};
    }
  };
  check(option::size, options.size.has_value(), "--size");
  check(option::tile, options.tile.has_value(), "--tile");
  check(option::input, options.input.has_value(), "--input");
  check(option::max_pixels, options.max_pixels.has_value(), "--max-pixels");
  check(option::threshold, options.threshold.has_value(), "--threshold");
  check(option::lines, options.lines.has_value(), "--lines");
  check(option::kernel, options.kernel.has_value(), "--kernel");
  check(option::task_us, options.task_us.has_value(), "--task-us");
  check(option::seed, options.seed.has_value(), "--seed");
}

std::uint64_t in_range(std::string_view what, const std::optional<std::int64_t>& value,
                       std::uint64_t otherwise, std::uint64_t least, std::uint64_t most) {
  if (!value) return otherwise;
  if (*value < 0 || static_cast<std::uint64_t>(*value) < least ||
      static_cast<std::uint64_t>(*value) > most) {
    throw std::invalid_argument{std::string{what} + " " + std::to_string(*value) +
                                " is not within " + std::to_string(least) + " .. " +
                                std::to_string(most)};
  }
  return static_cast<std::uint64_t>(*value);
}

std::uint64_t grown_within(std::uint64_t size, std::uint32_t times, std::uint64_t grown,
                           std::uint64_t most) {
  if (grown > most) {
    throw std::invalid_argument{"--size " + std::to_string(size) + " for each of " +
                                std::to_string(times) + " workers grows to " +
                                std::to_string(grown) + ", more than the " + std::to_string(most) +
                                " that there may be: a smaller --size or fewer workers"};
  }
  return grown;
}

std::uint64_t seed_of(const workload_options& options, std::uint64_t otherwise) {
  return in_range("--seed", options.seed, otherwise, 0, std::numeric_limits<std::int64_t>::max());
}

}  // namespace evencube::workloads
