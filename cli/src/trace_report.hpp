#pragma once

#include <evencube/pages/trace_figures.hpp>
#include <string>

#include "console.hpp"
#include "recordings.hpp"

namespace evencube::cli {

using pages::trace_figures;

/// The keys of `evencube trace --json`. Times in seconds.
[[nodiscard]] json to_json(const checked_trace& given, const trace_figures& figures);

/// The same for people.
[[nodiscard]] std::string to_text(const checked_trace& given, const trace_figures& figures);

/// Gives a page in HTML to `to` that shows the trace, which was read from `file`, in any browser:
/// one file, no network. Throws what `to` throws.
void write_trace_page(const checked_trace& given, const trace_figures& figures,
                      const std::string& file, const traces::byte_sink& to);

}  // namespace evencube::cli
