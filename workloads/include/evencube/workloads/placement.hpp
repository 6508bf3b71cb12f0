#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace evencube::workloads {

/// The workers on which a workload's tasks begin.
enum class placement {
  spread,  ///< Task i on worker i mod P.
  one,     ///< All tasks on worker 0, which spawns them.
  skewed,  ///< Half on worker 0, a quarter on worker 1, an eighth on worker 2, ...; the last two
           ///< shares are equal.
  random,  ///< Task i on a uniformly drawn worker, the same in every run.
};

inline constexpr std::array all_placements{placement::spread, placement::one, placement::skewed,
                                           placement::random};

/// The seed that `random` combines with a task's index to draw its worker.
inline constexpr std::uint64_t random_placement_seed = 1;

/// Returns "spread", "one", "skewed" or "random".
[[nodiscard]] std::string_view name_of(placement where) noexcept;

/// Returns the placement called `name`. For other names, throws std::invalid_argument, whose
/// message lists the known names.
[[nodiscard]] placement placement_named(std::string_view name);

/// Returns the worker, out of `workers` >= 1, on which task `index` begins, or nothing if the task
/// stays where it is spawned. For `skewed` this is the number of trailing one bits of the index, at
/// most `workers` minus one, which gives shares of 1/2, 1/4, ... of any consecutive tasks. For
/// `random` it is the upper half of output number `index` of SplitMix64 under `seed`, scaled to the
/// workers (Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
/// Other placements ignore the seed. O(1), thread-safe.
[[nodiscard]] std::optional<std::size_t> home_of(
    placement where, std::size_t index, std::size_t workers,
    std::uint64_t seed = random_placement_seed) noexcept;

}  // namespace evencube::workloads
