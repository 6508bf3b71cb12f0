#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <evencube/this_task.hpp>

namespace evencube::tbb {

/// Splits a range down to its grain.
struct simple_partitioner {};
/// Splits a range into as many parts as the workers can use; the default.
struct auto_partitioner {};
/// Splits a range into a part for each worker.
struct static_partitioner {};
/// Splits like auto_partitioner. For a loop that runs repeatedly over the same data, use EvenCube's
/// `balanced_loop`.
struct affinity_partitioner {};

namespace detail {

template <typename P>
concept partitioner = std::same_as<std::remove_cvref_t<P>, simple_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, auto_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, static_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, affinity_partitioner>;

template <typename P>
concept deterministic_partitioner = std::same_as<std::remove_cvref_t<P>, simple_partitioner> ||
                                    std::same_as<std::remove_cvref_t<P>, static_partitioner>;

/// The largest number of parts.
inline constexpr auto any_number = static_cast<std::size_t>(-1);

/// Returns the largest number of parts into which a range is split.
template <partitioner P>
std::size_t parts(const P&) {
  if constexpr (std::same_as<P, simple_partitioner>) return any_number;
  const std::size_t workers = this_task::workers();
  return std::same_as<P, static_partitioner> ? workers : 16 * workers;
}

/// The numbers of parts of the two halves of a range.
struct halves {
  std::size_t left;
  std::size_t right;
};
inline halves halves_of(std::size_t parts) noexcept {
  if (parts == any_number) return {any_number, any_number};
  return {parts - parts / 2, parts / 2};
}

}  // namespace detail

}  // namespace evencube::tbb
