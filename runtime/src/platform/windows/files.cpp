#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <utility>

#include "platform/platform.hpp"
#include "platform/windows/system.hpp"

// Names of files are in the code page of the process, as for the C library's own functions.
namespace evencube::detail {
namespace {

/// At most this many bytes are written at once: the system counts them with 32 bits.
constexpr std::size_t most_at_once = std::size_t{1} << 30;

}  // namespace

// Not by the C library, whose functions lock the descriptor: a handler may interrupt one of them.
void write_all(int descriptor, std::string_view text) noexcept {
  if (descriptor < 0) return;
  const int before = errno;
  const DWORD failure_before = GetLastError();
  const std::intptr_t handle = _get_osfhandle(descriptor);
  // Without an output it is -2, which would be the calling thread.
  while (handle > 0 && !text.empty()) {
    DWORD written = 0;
    const auto size = static_cast<DWORD>(std::min(text.size(), most_at_once));
    const auto file = reinterpret_cast<HANDLE>(handle);  // NOLINT(performance-no-int-to-ptr)
    if (WriteFile(file, text.data(), size, &written, nullptr) == 0 || written == 0) break;
    text.remove_prefix(written);
  }
  SetLastError(failure_before);
  errno = before;
}

file_kind kind_of_file(const std::string& name) noexcept {
  const HANDLE file =
      CreateFileA(name.c_str(), 0, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (file == INVALID_HANDLE_VALUE) return file_kind::absent;
  file_kind kind = file_kind::other;
  BY_HANDLE_FILE_INFORMATION about{};
  if (GetFileType(file) == FILE_TYPE_DISK && GetFileInformationByHandle(file, &about) != 0) {
    const bool folder = (about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
    kind = folder ? file_kind::folder : file_kind::regular;
  }
  CloseHandle(file);
  return kind;
}

int rename_file(const std::string& from, const std::string& to) noexcept {
  if (MoveFileExA(from.c_str(), to.c_str(), MOVEFILE_REPLACE_EXISTING) != 0) return 0;
  const DWORD failed = GetLastError();
  return failed == ERROR_ACCESS_DENIED || failed == ERROR_SHARING_VIOLATION ? EACCES : EIO;
}

// The handle is the descriptor.

int new_file::create(const std::string& name) noexcept {
  handle_ = _open(name.c_str(), _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY | _O_NOINHERIT,
                  _S_IREAD | _S_IWRITE);
  return handle_ < 0 ? errno : 0;
}

int new_file::write(std::string_view bytes) noexcept {
  while (!bytes.empty()) {
    const auto size = static_cast<unsigned>(std::min(bytes.size(), most_at_once));
    const int written = _write(static_cast<int>(handle_), bytes.data(), size);
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

int new_file::close() noexcept {
  if (handle_ == none) return 0;
  return _close(static_cast<int>(std::exchange(handle_, none))) != 0 ? errno : 0;
}

}  // namespace evencube::detail
