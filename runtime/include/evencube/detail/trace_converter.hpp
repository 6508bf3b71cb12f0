#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

#include <evencube/detail/compiler.hpp>

namespace evencube::detail {

/// A kind of file that is made from a trace.
enum class trace_view : std::uint8_t {
  page,   ///< for a browser
  events  ///< for Perfetto
};

/// Takes the next bytes of a file.
using text_sink = std::function<void(std::string_view)>;

/// A function that writes a view of a trace to `to`. `trace` is the content of a trace file.
using trace_converter = void (*)(trace_view view, std::string_view trace, const text_sink& to);

/// Sets the function with which runtimes write files whose names end in `.html` or `.json`; null
/// for none, as it is in the beginning. The library `pages`, which is above the runtime, sets it in
/// programs that are linked with it. Returns the function before.
EVENCUBE_EXPORT trace_converter set_trace_converter(trace_converter wanted) noexcept;

}  // namespace evencube::detail
