// Fuzzes the trace reader and the uses of an accepted trace: the work of `whatif`, and all output
// of `trace`. The checksums of blocks are corrected first, or no input would get past them.

#include <zlib.h>

#include <algorithm>
#include <evencube/pages/trace_figures.hpp>
#include <evencube/simulator/what_if.hpp>
#include <evencube/trace/events.hpp>
#include <evencube/trace/trace.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "bounded_cbor.hpp"
#include "support.hpp"
#include "trace_mutation.hpp"
#include "trace_report.hpp"

namespace {

using namespace evencube;
using namespace evencube::simulator;
using namespace evencube::traces;

std::string mended(std::string file) {
  if (file.starts_with("\x1F\x8B")) return file;  // packed: zlib has its own checksums
  const auto* const bytes = reinterpret_cast<const Bytef*>(file.data());
  for (std::size_t at = 12; at + 12 <= file.size();) {
    std::size_t length = 0;
    for (unsigned i = 0; i < 4; ++i) length |= std::size_t{bytes[at + 4 + i]} << (8 * i);
    if (length > file.size() - at - 12) break;
    const auto sum = crc32(0, bytes + at + 12, static_cast<uInt>(length));
    for (unsigned i = 0; i < 4; ++i) {
      file[at + 8 + i] = static_cast<char>(sum >> (8 * i) & 0xFF);
    }
    at += 12 + length;
  }
  return file;
}

trace read(const std::string& file) {
  std::istringstream bytes(file);
  return read_trace(bytes, file.size(), "x");
}

/// Like read_checked_trace(), without a file.
cli::checked_trace use(const trace& given) {
  cli::checked_trace used{given, program_of(given), recorded_configuration(given), {}, {}};
  used.outcome = replay(used.program, used.configuration);
  used.rounds = check_rounds(given);
  if (!given.tasks.empty()) (void)explain(given, 0);
  return used;
}

void show(const cli::checked_trace& used) {
  if (used.source.tasks.empty() || used.source.makespan == 0) return;  // refused
  const auto figures = pages::figures_of(used);
  fuzz::require(!cli::to_text(used, figures).empty(), "there are figures");
  (void)cli::to_json(used, figures).dump(-1, ' ', false, cli::json::error_handler_t::replace);
  std::string events;
  traces::write_events(used.source, [&](std::span<const std::uint8_t> bytes) {
    events += fuzz::text_of(bytes.data(), bytes.size());
  });
  fuzz::require(nlohmann::json::accept(events), "the events are JSON");
  std::size_t page = 0;
  cli::write_trace_page(used, figures, "input.trace",
                        [&](std::span<const std::uint8_t> bytes) { page += bytes.size(); });
  fuzz::require(page > 0, "there is a page");
}

/// Reads under limits that such a short input can break.
void read_as_one_document(std::span<const std::uint8_t> bytes) {
  try {
    (void)read_cbor(bytes, {.depth = 3, .memory = 4096});
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  std::string file;
  if (seed % 2 == 0) file = fuzz::trace_mutation(seed).changed(fuzz::text_of(data, size));
  if (file.empty() || file.size() > most) return LLVMFuzzerMutate(data, size, most);
  std::copy(file.begin(), file.end(), data);
  return file.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read_as_one_document({data, size});
  trace given;
  try {
    given = read(mended(std::string(fuzz::text_of(data, size))));
  } catch (const trace_error&) {
    return 0;
  }
  std::string written;
  write_trace(given, [&](std::span<const std::uint8_t> bytes) {
    written += fuzz::text_of(bytes.data(), bytes.size());
  });
  fuzz::require(read(written) == given, "what was written reads back the same");
  try {
    show(use(given));
  } catch (const std::invalid_argument&) {
    // unknown names, or a program whose waits never end
  }
  return 0;
}
