#include "recording_origin.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <ctime>
#include <evencube/pages/trace_page.hpp>
#include <fstream>
#include <string>

namespace evencube::cli {
namespace {

/// The name of the processor, as the system has it; empty if it has none.
std::string processor_name() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return {};
}

/// The words of this program's command line, with the plain name of the program.
std::string command_text() {
  std::ifstream words("/proc/self/cmdline");
  std::string text{"evencube"};
  std::string word;
  std::getline(words, word, '\0');
  while (std::getline(words, word, '\0')) text += " " + word;
  return text;
}

}  // namespace

void describe_origin(traces::trace& recorded) {
  recorded.recorded_at = pages::date_text(std::time(nullptr));
  const std::string name = processor_name();
  const long processors = ::sysconf(_SC_NPROCESSORS_ONLN);
  recorded.recorded_on = fmt::format("{}{}{} processor{}", name, name.empty() ? "" : ", ",
                                     processors, processors == 1 ? "" : "s");
  recorded.recorded_by = command_text();
}

}  // namespace evencube::cli
