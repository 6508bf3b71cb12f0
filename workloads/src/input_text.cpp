#include "input_text.hpp"

#include <algorithm>
#include <cstring>

#include "byte_stream.hpp"

namespace evencube::workloads {

std::string read_text(const std::filesystem::path& file) {
  const auto name = file.string();
  byte_stream bytes{file, name};
  const auto most = std::max(bytes.size().value_or(0), most_of_no_size);
  std::string text;
  if (bytes.size()) text.reserve(*bytes.size());
  for (auto part = bytes.look(4096); !part.empty(); part = bytes.look(4096)) {
    if (text.size() + part.size() > most) {
      throw input_error{
          name + ": goes on after " + std::to_string(text.size()) +
          " bytes: of what does not say how large it is, a pipe or a device, at most " +
          std::to_string(most_of_no_size) + " are read"};
    }
    text.append(reinterpret_cast<const char*>(part.data()), part.size());
    bytes.skip(part.size());
  }
  if (bytes.failure() != 0) {
    throw input_error{name + ": cannot read: " + std::strerror(bytes.failure())};
  }
  return text;
}

}  // namespace evencube::workloads
