#include "input_text.hpp"

#include <cstring>

#include "byte_stream.hpp"

namespace evencube::workloads {

std::string read_text(const std::filesystem::path& file) {
  const auto name = file.string();
  byte_stream bytes{file, name};
  std::string text;
  if (bytes.size()) text.reserve(*bytes.size());
  for (auto part = bytes.look(4096); !part.empty(); part = bytes.look(4096)) {
    text.append(reinterpret_cast<const char*>(part.data()), part.size());
    bytes.skip(part.size());
  }
  if (bytes.failure() != 0) {
    throw input_error{name + ": cannot read: " + std::strerror(bytes.failure())};
  }
  return text;
}

}  // namespace evencube::workloads
