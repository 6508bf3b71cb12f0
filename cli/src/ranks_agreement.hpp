#pragma once

#include <string>
#include <tuple>

#include <evencube/cluster.hpp>

namespace evencube::cli {

/// How it ended on one rank: the exit code, or `going_on`; what is to be said, and a hint.
using verdict = std::tuple<int, std::string, std::string>;
inline constexpr int going_on = -1;
[[nodiscard]] inline bool goes_on(const verdict& end) { return std::get<0>(end) == going_on; }

/// All ranks know that it is over, and one of them has said why.
struct agreed_end {
  int status;
};

/// What the exception means that is being handled.
[[nodiscard]] verdict verdict_now();

/// That of calling `work`.
template <typename Work>
[[nodiscard]] verdict verdict_of(Work&& work) {
  try {
    work();
    return {going_on, "", ""};
  } catch (...) {
    return verdict_now();
  }
}

/// Collective: returns if all ranks go on. Else the first that does not says why, and all throw
/// agreed_end. No rank leaves before that, for leaving is collective, too.
void agree(cluster& world, const verdict& own);

}  // namespace evencube::cli
