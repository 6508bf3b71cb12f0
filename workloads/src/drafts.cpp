#include "drafts.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string>

#include <evencube/workloads/output_file.hpp>

namespace evencube::workloads {
namespace {

/// The names of drafts, where a signal handler finds them. One that finds no room here is removed
/// by its owner alone.
struct announced_name {
  enum state : int { unused, changing, there };
  std::atomic<int> state = unused;
  char path[PATH_MAX] = {};
};
std::array<announced_name, 8> announced;
static_assert(std::atomic<int>::is_always_lock_free, "a signal handler reads them");

std::atomic<unsigned> next_number{0};

// As <dirent.h> may not be used in a signal handler: what the kernel writes.
struct directory_entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];  // ends with a null byte
};

bool is_dot(const char* name) {
  return std::strcmp(name, ".") == 0 || std::strcmp(name, "..") == 0;
}

/// Removes the files of a folder, not those of folders within it. Safe in a signal handler.
void remove_files(int folder) noexcept {
  alignas(directory_entry) char buffer[4096];
  while (true) {
    const long count = ::syscall(SYS_getdents64, folder, buffer, sizeof buffer);
    if (count <= 0) return;
    for (long at = 0; at < count;) {
      const auto* entry = reinterpret_cast<const directory_entry*>(buffer + at);
      if (!is_dot(entry->name)) ::unlinkat(folder, entry->name, 0);
      at += entry->length;
    }
  }
}

/// Removes a file, or a folder that holds only files. Safe in a signal handler.
void remove_draft(const char* path) noexcept {
  if (::unlink(path) == 0 || (errno != EISDIR && errno != EPERM)) return;
  const int folder = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  remove_files(folder);
  ::close(folder);
  ::rmdir(path);
}

}  // namespace

draft::draft(const std::filesystem::path& target) : folder_{target.parent_path()} { rename(); }

draft::~draft() {
  if (!path_.empty()) {
    remove_draft(path_.c_str());
    remove_draft(path_.c_str());  // if something came between
    withdraw();
  }
}

void draft::rename() {
  withdraw();
  // The process id keeps two programs apart; the number, the drafts of one.
  path_ = folder_ / (".evencube-" + std::to_string(::getpid()) + "-" +
                     std::to_string(next_number.fetch_add(1, std::memory_order_relaxed)) + ".tmp");
  announce();
}

void draft::forget() noexcept {
  path_.clear();
  withdraw();
}

void draft::announce() noexcept {
  const auto& name = path_.native();
  if (name.size() >= PATH_MAX) return;
  for (std::size_t i = 0; i < announced.size(); ++i) {
    int expected = announced_name::unused;
    // acquire: pairs with the release in withdraw(), so that the last owner is done with the name.
    if (!announced[i].state.compare_exchange_strong(expected, announced_name::changing,
                                                    std::memory_order_acquire)) {
      continue;
    }
    std::memcpy(announced[i].path, name.c_str(), name.size() + 1);
    // release: pairs with the acquire in discard_drafts(), which then sees the name.
    announced[i].state.store(announced_name::there, std::memory_order_release);
    place_ = static_cast<int>(i);
    return;
  }
}

void draft::withdraw() noexcept {
  if (place_ < 0) return;
  // release: pairs with the acquire in announce().
  announced[static_cast<std::size_t>(place_)].state.store(announced_name::unused,
                                                          std::memory_order_release);
  place_ = -1;
}

void discard_drafts() noexcept {
  const int before = errno;
  for (announced_name& name : announced) {
    // acquire: pairs with the release in announce().
    if (name.state.load(std::memory_order_acquire) == announced_name::there) {
      remove_draft(name.path);
    }
  }
  errno = before;
}

}  // namespace evencube::workloads
