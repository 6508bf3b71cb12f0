// The trace reader, and what is done with a trace that it accepts: everything `whatif` does. The
// checksums of blocks are put right first, or nothing would get past them.

#include <zlib.h>

#include <evencube/simulator/what_if.hpp>
#include <sstream>
#include <stdexcept>

#include "support.hpp"

namespace {

using namespace evencube;
using namespace evencube::simulator;

std::string mended(std::string file) {
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

void use(const trace& given) {
  const task_graph program = program_of(given);
  (void)replay(program, recorded_configuration(given));
  (void)check_rounds(given);
  if (!given.tasks.empty()) (void)explain(given, 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
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
    use(given);
  } catch (const std::invalid_argument&) {
    // names that nobody knows, a program whose waits never end
  }
  return 0;
}
