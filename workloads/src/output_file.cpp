#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <evencube/workloads/output_file.hpp>

namespace evencube::workloads {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_to_write(const fs::path& file, const std::string& why) {
  throw output_error{file.string() + ": cannot write: " + why};
}

[[noreturn]] void fail_to_write(const fs::path& file, int code) {
  fail_to_write(file, std::string{std::strerror(code)});
}

/// Whether only the owner of an entry may replace it. In other folders everybody who may write to
/// the folder may replace its entries, and no other user may write to the user's own folders.
bool is_sticky(const fs::path& folder) {
  struct stat status = {};
  return ::stat(folder.c_str(), &status) == 0 && (status.st_mode & S_ISVTX) != 0;
}

constexpr int most_links = 40;  // as many as Linux follows

/// The name that a write to `file` replaces. Symbolic links are followed, even a last link to a
/// file that does not exist yet. A link of another user in a sticky folder is not followed, as in
/// the kernel.
fs::path real_target(const fs::path& file) {
  if (file.empty()) fail_to_write(file, "the name is empty");
  std::error_code problem;
  auto target = fs::absolute(file, problem);
  if (problem) fail_to_write(file, problem.message());
  struct stat status = {};
  for (int links = 0; ::lstat(target.c_str(), &status) == 0 && S_ISLNK(status.st_mode); ++links) {
    if (links == most_links) fail_to_write(file, ELOOP);
    if (status.st_uid != ::geteuid() && is_sticky(target.parent_path())) {
      fail_to_write(file, "it is a link of another user in a sticky folder");
    }
    const auto next = fs::read_symlink(target, problem);
    if (problem) fail_to_write(file, problem.message());
    target = target.parent_path() / next;  // `next` alone if it is absolute
  }
  return target;
}

/// The name of the file that is being written, for a signal handler. The thread that takes the name
/// out of here may read it. The program writes one file at a time; a second file is not announced.
std::atomic<const char*> unfinished{nullptr};
/// The last name that a handler took out of `unfinished`. It is kept: the thread that wrote the
/// file must not free the name.
std::atomic<const char*> discarded{nullptr};
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

/// A new file in the folder of `target`, under a name of its own. It is removed in the end unless
/// it has taken the target's name.
class new_file {
 public:
  new_file(const fs::path& shown, const fs::path& target) : shown_{shown}, target_{target} {
    static std::atomic<unsigned> count{0};
    // Keeps the permissions of a file that the user owns, except the bits that lend an identity.
    struct stat old = {};
    keeps_mode_ = ::stat(target.c_str(), &old) == 0 && old.st_uid == ::geteuid();
    if (keeps_mode_) mode_ = old.st_mode & 0777;
    const auto begin =
        (target.parent_path() / (".evencube-" + std::to_string(::getpid()) + "-")).string();
    do {
      // relaxed: only uniqueness matters
      const auto number = count.fetch_add(1, std::memory_order_relaxed);
      ::free(name_);
      name_ = ::strdup((begin + std::to_string(number) + ".tmp").c_str());
      if (name_ == nullptr) throw std::bad_alloc{};
      descriptor_ = ::open(name_, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode_);
    } while (descriptor_ < 0 && errno == EEXIST);
    if (descriptor_ < 0) {
      const int problem = errno;
      ::free(name_);
      fail_to_write(shown_, problem);
    }
    const char* nothing = nullptr;
    // release: pairs with the acquire in discard_drafts(), which then sees the name
    announced_ = unfinished.compare_exchange_strong(nothing, name_, std::memory_order_release,
                                                    std::memory_order_relaxed);
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file() {
    if (descriptor_ >= 0) ::close(descriptor_);
    // again, in case a signal came between
    if (!finished_ && ::unlink(name_) != 0) ::unlink(name_);
    // acquire: pairs with the release above. A handler that took the name may still read it.
    if (!announced_ || unfinished.exchange(nullptr, std::memory_order_acquire) != nullptr) {
      ::free(name_);
    }
  }

  void write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const auto written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) fail_to_write(shown_, errno);
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void take_the_targets_name() {
    if (keeps_mode_ && ::fchmod(descriptor_, mode_) != 0) fail_to_write(shown_, errno);
    // Without fsync, a power cut soon after could leave an empty file under the good name.
    if (::fsync(descriptor_) != 0 || ::close(std::exchange(descriptor_, -1)) != 0 ||
        ::rename(name_, target_.c_str()) != 0) {
      fail_to_write(shown_, errno);
    }
    finished_ = true;
  }

 private:
  const fs::path& shown_;
  const fs::path& target_;
  char* name_ = nullptr;
  int descriptor_ = -1;
  mode_t mode_ = 0666;  // less the umask
  bool keeps_mode_ = false;
  bool announced_ = false;
  bool finished_ = false;
};

void require_replaceable(const fs::path& file, const fs::path& target) {
  struct stat old = {};
  // Uses the given name: /dev/stdout, a link to a pipe, has no other name that leads to the pipe.
  if (::stat(file.c_str(), &old) != 0) {
    if (errno != ENOENT) fail_to_write(file, errno);
    if (!file.has_filename()) fail_to_write(file, EISDIR);
    return;
  }
  if (S_ISDIR(old.st_mode)) fail_to_write(file, EISDIR);
  if (!S_ISREG(old.st_mode)) fail_to_write(file, "it is not a regular file");
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) fail_to_write(file, errno);
  if (old.st_uid != ::geteuid() && is_sticky(target.parent_path())) {
    fail_to_write(file, "it belongs to another user and its folder is sticky");
  }
}

}  // namespace

void require_writable(const fs::path& file) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  // Only making a file is a sure test: permissions, read-only mounts and quotas can all refuse.
  const new_file probe{file, target};
}

void replace_file(const fs::path& file, std::span<const std::uint8_t> bytes) {
  replace_file(file, [&](const byte_sink& to) { to(bytes); });
}

void replace_file(const fs::path& file, const std::function<void(const byte_sink&)>& write) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  new_file made{file, target};
  write([&](std::span<const std::uint8_t> bytes) { made.write(bytes); });
  made.take_the_targets_name();
}

results_folder::results_folder(const fs::path& folder, bool with_parents) {
  std::error_code unknown;
  for (auto one = fs::absolute(folder, unknown);
       !one.empty() && fs::symlink_status(one, unknown).type() == fs::file_type::not_found;
       one = one.parent_path()) {
    made_.push_back(one);
  }
  std::error_code problem;
  with_parents ? fs::create_directories(folder, problem) : fs::create_directory(folder, problem);
  if (!fs::is_directory(folder, unknown)) {
    remove_empty();
    throw output_error{folder.string() + ": cannot make the folder: " +
                       (problem ? problem.message() : "it is a file")};
  }
}

void results_folder::remove_empty() noexcept {
  for (const auto& one : made_) ::rmdir(one.c_str());
}

void replace_folder(const fs::path& folder, const std::map<std::string, std::string>& files,
                    std::span<const std::string_view> endings) {
  const results_folder made{folder, false};
  for (const auto& [name, text] : files) require_writable(folder / name);
  std::vector<fs::path> old;
  try {
    for (const auto& entry : fs::directory_iterator{folder}) {
      const auto name = entry.path().filename().string();
      std::error_code unknown;  // of a link that leads nowhere, which is no earlier result
      if (!files.contains(name) && entry.is_regular_file(unknown) &&
          std::ranges::any_of(endings, [&](auto end) { return name.ends_with(end); })) {
        old.push_back(entry.path());
      }
    }
  } catch (const fs::filesystem_error& problem) {
    fail_to_write(folder, problem.code().message());
  }
  for (const auto& [name, text] : files) replace_file(folder / name, bytes_of(text));
  for (const auto& one : old) {
    if (::unlink(one.c_str()) != 0 && errno != ENOENT) fail_to_write(one, errno);
  }
}

bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code absent;
  if (fs::equivalent(a, b, absent)) return true;
  const auto place_of = [&](const fs::path& file) {
    const auto place = fs::weakly_canonical(real_target(file), absent);
    if (absent) fail_to_write(file, absent.message());
    return place;
  };
  return place_of(a) == place_of(b);
}

void discard_drafts() noexcept {
  const int before = errno;
  // acquire: pairs with the release in new_file()
  if (const char* const name = unfinished.exchange(nullptr, std::memory_order_acquire)) {
    ::unlink(name);
    // relaxed: no thread reads the text that it points to
    discarded.store(name, std::memory_order_relaxed);
  }
  errno = before;
}

}  // namespace evencube::workloads
