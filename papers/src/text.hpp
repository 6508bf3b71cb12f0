#pragma once

#include <fmt/format.h>

#include <string>

namespace evencube::papers {

/// The shortest decimal text that reads back as the same number.
inline std::string shortest(double value) { return fmt::format("{}", value); }

/// `value` with `digits` digits after the point.
inline std::string fixed(double value, int digits) { return fmt::format("{:.{}f}", value, digits); }

}  // namespace evencube::papers
