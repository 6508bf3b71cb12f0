#pragma once

#include <cstdint>

#include "../common/program.hpp"

/// What it costs a worker to find out that nobody has work for it.
namespace bench::search {

inline const workload about{
    "search", "search", {{"n", "2000", "10", "searches of a run, which find nothing"}}};

/// `look()` searches once and returns how many tasks that one worker has run so far; `bring()`
/// makes one that the next search is to find.
template <typename Look, typename Bring>
int measure(program& with, Look&& look, Bring&& bring) {
  const std::uint64_t n = with.number("n");
  std::uint64_t run = 0;
  std::uint64_t brought = 0;
  return with.measure({.units = static_cast<double>(n),
                       .run =
                           [&] {
                             return timed([&] {
                               for (std::uint64_t i = 0; i < n; ++i) run = look();
                             });
                           },
                       .verify =
                           [&] {
                             if (run != brought) return "a search found what nobody had made";
                             bring();
                             return look() == ++brought ? "" : "a search did not find a task";
                           }});
}

}  // namespace bench::search
