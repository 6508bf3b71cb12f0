#pragma once

#include <cstdint>
#include <evencube/detail/compiler.hpp>
#include <evencube/trace/trace.hpp>
#include <string_view>
#include <vector>

namespace evencube::traces {

/// What the plan of a round makes of the loads that it saw.
[[nodiscard]] EVENCUBE_EXPORT std::vector<load_type> loads_after(const trace::round& round);

/// The name as a trace has it; for tasks without one, a word for them.
[[nodiscard]] EVENCUBE_EXPORT std::string_view name_in(const trace& recorded,
                                                       std::uint32_t name) noexcept;

/// Of each task, how long it computed: from its start to its end without its own waits. In ns.
[[nodiscard]] EVENCUBE_EXPORT std::vector<std::uint64_t> computing_times(const trace& recorded);

}  // namespace evencube::traces
