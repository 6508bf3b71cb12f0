#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "program.hpp"

namespace evencube::programs {

/// Whether a program fails, as the one to be made smaller does. What fails by luck needs several
/// runs to tell.
using failing = std::function<bool(const program&)>;

/// The smallest program found that still fails: steps are left out, or replaced by what they
/// contain, and everything is made as usual as it can be, as long as `fails` says so and `time`
/// lasts. `tell` hears of every success.
program shrink(program p, const failing& fails, std::chrono::seconds time,
               const std::function<void(const program&)>& tell);

}  // namespace evencube::programs
