#pragma once

#include <string>

#include "gatherings.hpp"
#include "rank_core.hpp"
#include "work.hpp"

namespace evencube::detail {

/// Saves what a held rank needs to continue (Q in cluster/docs/ranks.md). Collective.
void save_held(rank_core& core, rank_work& work, call_gatherings& gatherings,
               const std::string& path);
/// Continues from what held ranks have saved. Collective. Returns false if there is no checkpoint.
bool load_held(rank_core& core, rank_work& work, call_gatherings& gatherings,
               const std::string& path);

}  // namespace evencube::detail
