// Lets the runtime write pages and Perfetto's files, in programs that are linked with this library.

#include <cstdint>
#include <ctime>
#include <span>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include <evencube/detail/trace_converter.hpp>
#include <evencube/pages/trace_figures.hpp>
#include <evencube/pages/trace_page.hpp>
#include <evencube/trace/events.hpp>
#include <evencube/trace/trace.hpp>

// The option `-u` for the linker, which users of this library get, asks for this name. So it takes
// this file out of the library although no code of the program calls it.
extern "C" void evencube_pages() noexcept {}

namespace evencube::pages {
namespace {

void convert(detail::trace_view view, std::string_view bytes, const detail::text_sink& to) {
  const traces::byte_sink sink = [&](std::span<const std::uint8_t> more) {
    to({reinterpret_cast<const char*>(more.data()), more.size()});
  };
  std::istringstream file{std::string(bytes)};
  traces::trace read = traces::read_trace(file, bytes.size(), "the recording");
  if (view == detail::trace_view::events) {
    traces::write_events(read, sink);
    return;
  }
  const checked_trace given = check_trace(std::move(read));
  write_trace_page(given, figures_of(given), {std::time(nullptr), 0}, sink);
}

// Before the objects of the program, of which one may be a runtime, and until they are gone.
[[gnu::constructor(101)]] void begin() noexcept { detail::set_trace_converter(&convert); }
[[gnu::destructor(101)]] void end() noexcept { detail::set_trace_converter(nullptr); }

}  // namespace
}  // namespace evencube::pages
