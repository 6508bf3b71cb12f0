#pragma once

#include <cstdint>
#include <evencube/detail/compiler.hpp>
#include <evencube/trace/trace.hpp>
#include <string_view>
#include <vector>

namespace evencube::traces {

/// Returns the loads after a round's plan, computed from the loads that the round saw.
[[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads_after(const trace::round& round);

/// Returns the name with index `name` in the trace, or a word for unnamed tasks.
[[nodiscard]] EVENCUBE_EXPORT std::string_view name_in(const trace& recorded,
                                                       std::uint32_t name) noexcept;

/// Returns each task's computing time in nanoseconds: from its start to its end, excluding waits.
[[nodiscard]] EVENCUBE_EXPORT std::vector<std::uint64_t> computing_times(const trace& recorded);

}  // namespace evencube::traces
