#pragma once

#include <array>
#include <cstdint>

namespace evencube::simulator {

/// Two independent numbers, uniform in the open interval (0, 1).
struct uniform_pair {
  double first;
  double second;
};

/// Philox4x32 with ten rounds: for each 64-bit key, a bijection on 128-bit counters whose outputs
/// look like independent random bits. Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers:
/// as easy as 1, 2, 3", SC 2011, section 4.3.
///
/// The function is pure: a value depends only on (counter, key). So a simulation can be repeated in
/// any order of evaluation and on any number of threads.
[[nodiscard]] constexpr std::array<std::uint32_t, 4> philox4x32(
    std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) noexcept {
  constexpr std::uint64_t multiplier_0 = 0xD2511F53;
  constexpr std::uint64_t multiplier_1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl_0 = 0x9E3779B9;  // golden ratio
  constexpr std::uint32_t weyl_1 = 0xBB67AE85;  // sqrt(3) - 1
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = multiplier_0 * counter[0];
    const std::uint64_t product_1 = multiplier_1 * counter[2];
    counter = {static_cast<std::uint32_t>(product_1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product_1),
               static_cast<std::uint32_t>(product_0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product_0)};
    key[0] += weyl_0;
    key[1] += weyl_1;
  }
  return counter;
}

/// The purpose of a stream of random numbers. Streams of different purposes never share a number.
enum class random_purpose : std::uint32_t {
  arrival = 0,    ///< time until an arrival, and the arriving task's demand
  thinning = 1,   ///< acceptance of candidate arrivals if the rate varies with time
  placement = 2,  ///< initial loads
  balancer = 3,   ///< the seed that a balancer gets in a round
  sampling = 4,   ///< load vectors and trials in reproductions of papers
};

/// Random numbers, looked up by address: (seed, purpose, stream, index) -> two uniform numbers. A
/// source holds only the seed, and a node of the simulated machine only its count of draws.
class random_source {
 public:
  explicit constexpr random_source(std::uint64_t seed) noexcept : seed_(seed) {}

  /// Returns two words of 64 random bits. Thread-safe, O(1).
  [[nodiscard]] constexpr std::array<std::uint64_t, 2> bits(random_purpose purpose,
                                                            std::uint32_t stream,
                                                            std::uint64_t index) const noexcept {
    const auto words =
        philox4x32({static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(index >> 32),
                    stream, static_cast<std::uint32_t>(purpose)},
                   {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    return {(std::uint64_t{words[1]} << 32) | words[0], (std::uint64_t{words[3]} << 32) | words[2]};
  }

  /// Returns two independent numbers, uniform in (0, 1). Thread-safe, O(1).
  [[nodiscard]] constexpr uniform_pair uniforms(random_purpose purpose, std::uint32_t stream,
                                                std::uint64_t index) const noexcept {
    const auto both = bits(purpose, stream, index);
    return {to_unit(both[0]), to_unit(both[1])};
  }

  /// Returns a seed for replication `index`, far from the seeds of all other replications.
  [[nodiscard]] constexpr std::uint64_t replication_seed(std::uint64_t index) const noexcept {
    return bits(static_cast<random_purpose>(0xFFFFFFFF), 0xFFFFFFFF, index)[0];
  }

 private:
  // The midpoint of one of 2^53 equal cells; it is never 0 or 1, so logarithms are finite.
  static constexpr double to_unit(std::uint64_t word) noexcept {
    return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
  }

  std::uint64_t seed_;
};

/// A sequential reader of one stream, for code that does not keep an index.
class random_stream {
 public:
  constexpr random_stream(std::uint64_t seed, random_purpose purpose, std::uint32_t stream) noexcept
      : source_(seed), purpose_(purpose), stream_(stream) {}

  /// Returns a number uniformly distributed in (0, 1).
  [[nodiscard]] constexpr double uniform() noexcept {
    if (!spare_full_) {
      const auto both = source_.uniforms(purpose_, stream_, index_++);
      spare_ = both.second;
      spare_full_ = true;
      return both.first;
    }
    spare_full_ = false;
    return spare_;
  }

  /// Returns a number uniformly distributed in {0, ..., bound - 1}; bound >= 1. The bias is below
  /// bound / 2^53.
  [[nodiscard]] constexpr std::uint64_t below(std::uint64_t bound) noexcept {
    const auto value = static_cast<std::uint64_t>(uniform() * static_cast<double>(bound));
    return value < bound ? value : bound - 1;
  }

 private:
  random_source source_;
  random_purpose purpose_;
  std::uint32_t stream_;
  std::uint64_t index_ = 0;
  double spare_ = 0;
  bool spare_full_ = false;
};

}  // namespace evencube::simulator
