#pragma once

#include <string>
#include <vector>

#include "folded_cube.hpp"
#include "quotas.hpp"

namespace evencube {

/// Converts the name of a split rule, which has been checked already.
[[nodiscard]] split_rule parse_split(const std::string& text);

/// The walk of CWA over the dimensions from folded.dimensions-1 down to `lowest`, in every cube of
/// nodes that share their `lowest` low bits (Rim et al. 2003, Section 5, after Wu 1997). Writes one
/// phase for each dimension to `inner`, from phase `first` on. In the end folded.loads equal
/// `quotas`. Precondition: in every such cube, quotas and loads have the same sum.
void walk_cube(split_rule split, unsigned lowest, folded_cube& folded,
               const std::vector<load_type>& quotas, plan& inner, std::size_t first);

}  // namespace evencube
