#include <algorithm>
#include <bit>
#include <stdexcept>

#include <evencube/workloads/placement.hpp>

namespace evencube::workloads {

std::string_view name_of(placement where) noexcept {
  switch (where) {
    case placement::spread:
      return "spread";
    case placement::one:
      return "one";
    case placement::skewed:
      return "skewed";
  }
  return "unknown";
}

placement placement_named(std::string_view name) {
  for (const auto where : {placement::spread, placement::one, placement::skewed}) {
    if (name == name_of(where)) {
      return where;
    }
  }
  throw std::invalid_argument{"unknown placement \"" + std::string{name} +
                              "\"; known: spread, one, skewed"};
}

std::optional<std::size_t> home_of(placement where, std::size_t index,
                                   std::size_t workers) noexcept {
  switch (where) {
    case placement::spread:
      return index % workers;
    case placement::skewed:
      return std::min<std::size_t>(static_cast<std::size_t>(std::countr_one(index)), workers - 1);
    case placement::one:
      break;
  }
  return std::nullopt;
}

}  // namespace evencube::workloads
