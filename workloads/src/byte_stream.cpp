#include "byte_stream.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <evencube/workloads/image_file.hpp>

namespace evencube::workloads {

byte_stream::byte_stream(const std::filesystem::path& file, const std::string& name)
    : buffer_(buffer_size), descriptor_{::open(file.c_str(), O_RDONLY | O_CLOEXEC)} {
  const auto fail = [&](const char* why) {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
    throw image_error{name + ": cannot read: " + why};
  };
  struct stat status = {};
  if (descriptor_ < 0 || ::fstat(descriptor_, &status) != 0) fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail("it is a folder");
  if (S_ISREG(status.st_mode)) size_ = static_cast<std::uint64_t>(status.st_size);
}

byte_stream::~byte_stream() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::span<const std::uint8_t> byte_stream::look(std::size_t most) noexcept {
  refill(most);
  return window_.first(std::min(most, window_.size()));
}

bool byte_stream::take(std::span<std::uint8_t> out) noexcept {
  while (!out.empty()) {
    if (window_.empty() && !refill(1)) return false;
    const auto count = std::min(out.size(), window_.size());
    std::memcpy(out.data(), window_.data(), count);
    out = out.subspan(count);
    window_ = window_.subspan(count);
  }
  return true;
}

bool byte_stream::refill(std::size_t least) noexcept {
  if (window_.size() >= least || descriptor_ < 0) return window_.size() >= least;
  if (!window_.empty()) std::memmove(buffer_.data(), window_.data(), window_.size());
  auto have = window_.size();
  while (have < least) {
    const auto count = ::read(descriptor_, buffer_.data() + have, buffer_.size() - have);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) failure_ = errno;
    if (count <= 0) break;
    have += static_cast<std::size_t>(count);
  }
  window_ = std::span{buffer_}.first(have);
  return have >= least;
}

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
