#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

#include <evencube/this_task.hpp>

namespace evencube::tbb {

/// How far a range is split: to its grain.
struct simple_partitioner {};
/// As far as workers can use; the default.
struct auto_partitioner {};
/// A part for each worker.
struct static_partitioner {};
/// As auto_partitioner: where the same loop runs again and again, `balanced_loop` is what EvenCube
/// has for it.
struct affinity_partitioner {};

namespace detail {

template <typename P>
concept partitioner = std::same_as<std::remove_cvref_t<P>, simple_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, auto_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, static_partitioner> ||
                      std::same_as<std::remove_cvref_t<P>, affinity_partitioner>;

/// As many parts as there can be.
inline constexpr auto any_number = static_cast<std::size_t>(-1);

/// Into how many parts a range is split, at most.
template <partitioner P>
std::size_t parts(const P&) {
  if constexpr (std::same_as<P, simple_partitioner>) return any_number;
  const std::size_t workers = this_task::workers();
  return std::same_as<P, static_partitioner> ? workers : 16 * workers;
}

/// How many of them the halves of the range have.
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
