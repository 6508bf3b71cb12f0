#pragma once

#include "checked_trace.hpp"
#include "trace_figures.hpp"

namespace evencube::cli {

/// Gives a page in HTML to `to` that shows the trace in any browser: one file, no network.
/// Throws what `to` throws.
void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const traces::byte_sink& to);

}  // namespace evencube::cli
