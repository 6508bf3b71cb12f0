#pragma once

#include <exception>
#include <new>
#include <string>
#include <tuple>

#include <evencube/cluster.hpp>

#include "console.hpp"
#include "failure.hpp"

namespace evencube::cli {

/// How it ended on one rank: the exit code, or `going_on`; what is to be said, and a hint.
using verdict = std::tuple<int, std::string, std::string>;
inline constexpr int going_on = -1;
[[nodiscard]] inline bool goes_on(const verdict& end) { return std::get<0>(end) == going_on; }

/// All ranks know that it is over, and one of them has said why.
struct agreed_end {
  int status;
};

/// That of calling `work`.
template <typename Work>
[[nodiscard]] verdict verdict_of(Work&& work) {
  try {
    work();
    return {going_on, "", ""};
  } catch (const usage_error& problem) {
    return {exit_bad_usage, problem.what(), ""};
  } catch (const std::bad_alloc&) {
    return {exit_bad_usage, "there is not enough memory for this", ""};
  } catch (const std::exception& problem) {
    return {exit_failure, problem.what(), ""};
  }
}

/// Collective: returns if all ranks go on. Else the first that does not says why, and all throw
/// agreed_end. No rank leaves before that, for leaving is collective, too.
inline void agree(cluster& world, const verdict& own) {
  const auto all = world.gather(own);
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    const auto& [status, text, hint] = all[rank];
    if (status == going_on) continue;
    if (rank == world.rank() && !text.empty()) complain(text, hint);
    throw agreed_end{status};
  }
}

}  // namespace evencube::cli
