#pragma once

#include <string>

#include <evencube/statistics.hpp>

namespace evencube::detail {

/// True if the environment asks for the statistics of every runtime at its end: EVENCUBE_STATS is
/// set, and not to 0. Never true in a program that runs with more rights than its caller.
[[nodiscard]] bool statistics_are_asked_for() noexcept;

/// A few lines for people about what a runtime did in `seconds`. `title` says which runtime.
[[nodiscard]] std::string text_of(const statistics& all, double seconds, const std::string& title);

}  // namespace evencube::detail
