#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <system_error>
#include <utility>

#include "platform/platform.hpp"

namespace evencube::detail {
namespace {

/// The error number of a function of <cstdio> that failed. The standard does not demand one.
int number_of_failure() noexcept { return errno != 0 ? errno : EIO; }

std::FILE* stream_of(std::intptr_t handle) noexcept {
  return reinterpret_cast<std::FILE*>(handle);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

// The standard knows two outputs. What is meant for another one goes to that for errors.
void write_all(int descriptor, std::string_view text) noexcept {
  const int before = errno;
  std::FILE* const to = descriptor == 1 ? stdout : stderr;
  std::fwrite(text.data(), 1, text.size(), to);
  std::fflush(to);
  errno = before;
}

file_kind kind_of_file(const std::string& name) noexcept {
  try {
    std::error_code failed;
    const std::filesystem::file_status found = std::filesystem::status(name, failed);
    if (failed || !std::filesystem::exists(found)) return file_kind::absent;
    if (std::filesystem::is_regular_file(found)) return file_kind::regular;
    return std::filesystem::is_directory(found) ? file_kind::folder : file_kind::other;
  } catch (const std::exception&) {
    return file_kind::absent;
  }
}

// Where the C library replaces no file, this is refused.
int rename_file(const std::string& from, const std::string& to) noexcept {
  errno = 0;
  return std::rename(from.c_str(), to.c_str()) != 0 ? number_of_failure() : 0;
}

// The handle is the address of the stream.

int new_file::create(const std::string& name) noexcept {
  errno = 0;
  std::FILE* const made = std::fopen(name.c_str(), "wbx");
  if (made == nullptr) return number_of_failure();
  handle_ = reinterpret_cast<std::intptr_t>(made);
  return 0;
}

int new_file::write(std::string_view bytes) noexcept {
  errno = 0;
  const std::size_t written = std::fwrite(bytes.data(), 1, bytes.size(), stream_of(handle_));
  return written == bytes.size() ? 0 : number_of_failure();
}

int new_file::close() noexcept {
  if (handle_ == none) return 0;
  errno = 0;
  return std::fclose(stream_of(std::exchange(handle_, none))) == 0 ? 0 : number_of_failure();
}

}  // namespace evencube::detail
