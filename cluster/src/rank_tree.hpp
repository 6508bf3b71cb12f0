#pragma once

namespace evencube::detail {

/// The spanning tree of the cube of ranks, with root 0. The parent of a rank is the rank without
/// its lowest bit, so every edge is a link of the cube, and no path is longer than the number of
/// dimensions. Works for any number of ranks.
[[nodiscard]] constexpr unsigned tree_parent(unsigned rank) noexcept { return rank & (rank - 1); }

/// Calls visit(child) for each child of a rank.
template <typename Visit>
void for_each_tree_child(unsigned rank, unsigned size, Visit&& visit) {
  for (unsigned bit = 1; (rank & bit) == 0 && bit < size; bit <<= 1) {
    if (rank + bit < size) visit(rank + bit);
  }
}

}  // namespace evencube::detail
