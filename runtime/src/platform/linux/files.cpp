#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "platform/platform.hpp"

namespace evencube::detail {

void write_all(int descriptor, std::string_view text) noexcept {
  const int before = errno;
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written > 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (written == 0 || errno != EINTR) {
      break;
    }
  }
  errno = before;
}

file_kind kind_of_file(const std::string& name) noexcept {
  struct stat found = {};
  if (::stat(name.c_str(), &found) != 0) return file_kind::absent;
  if (S_ISREG(found.st_mode)) return file_kind::regular;
  return S_ISDIR(found.st_mode) ? file_kind::folder : file_kind::other;
}

int rename_file(const std::string& from, const std::string& to) noexcept {
  return std::rename(from.c_str(), to.c_str()) != 0 ? errno : 0;
}

// The handle is the descriptor.

int new_file::create(const std::string& name) noexcept {
  handle_ = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  return handle_ < 0 ? errno : 0;
}

int new_file::write(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto written = ::write(static_cast<int>(handle_), bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int new_file::close() noexcept {
  if (handle_ == none) return 0;
  return ::close(static_cast<int>(std::exchange(handle_, none))) != 0 ? errno : 0;
}

}  // namespace evencube::detail
