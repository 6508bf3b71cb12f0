#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include <evencube/workloads/output_file.hpp>

#include "drafts.hpp"
#include "output_target.hpp"

namespace evencube::workloads {
namespace {

/// The file that is to stand at `target`, without a name until it is complete; where the file
/// system has no files without names, under that of a draft.
class new_file {
 public:
  new_file(const std::filesystem::path& shown, std::filesystem::path target)
      : shown_{shown}, target_{std::move(target)} {
    descriptor_ =
        ::open(target_.parent_path().c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, permissions);
    // A file without a name gets one by way of /proc.
    if (descriptor_ >= 0 && ::access(way_to_it().c_str(), F_OK) != 0) {
      ::close(std::exchange(descriptor_, -1));
    }
    if (descriptor_ < 0) {
      make_draft();
    }
  }
  new_file(const new_file&) = delete;
  new_file& operator=(const new_file&) = delete;
  ~new_file() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  void write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const auto written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        fail_to_write(shown_, errno);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void take_the_targets_name() {
    struct stat old = {};
    const bool replaces = ::stat(target_.c_str(), &old) == 0;
    if (replaces && ::fchmod(descriptor_, old.st_mode & 07777) != 0) {
      fail_to_write(shown_, errno);
    }
    // Without this, a power cut soon after could leave an empty file under the good name.
    if (::fsync(descriptor_) != 0) {
      fail_to_write(shown_, errno);
    }
    if (!draft_ && !replaces && link_to(target_)) {
      close();
      return;
    }
    // A link cannot take the name of an existing file; a rename can.
    if (!draft_) {
      draft_.emplace(target_);
      while (!link_to(draft_->path())) {
        draft_->rename();
      }
    }
    close();
    if (::rename(draft_->path().c_str(), target_.c_str()) != 0) {
      fail_to_write(shown_, errno);
    }
    draft_->forget();
  }

 private:
  static constexpr mode_t permissions = 0666;  // but for the umask

  void make_draft() {
    draft_.emplace(target_);
    while (true) {
      descriptor_ =
          ::open(draft_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, permissions);
      if (descriptor_ >= 0) {
        return;
      }
      if (errno != EEXIST) {
        const int problem = errno;
        draft_->forget();
        fail_to_write(shown_, problem);
      }
      draft_->rename();
    }
  }

  [[nodiscard]] std::string way_to_it() const {
    return "/proc/self/fd/" + std::to_string(descriptor_);
  }

  /// Gives the file a name; false if there is something of that name.
  bool link_to(const std::filesystem::path& name) {
    if (::linkat(AT_FDCWD, way_to_it().c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
      return true;
    }
    if (errno != EEXIST) {
      fail_to_write(shown_, errno);
    }
    return false;
  }

  void close() {
    if (::close(std::exchange(descriptor_, -1)) != 0) {
      fail_to_write(shown_, errno);
    }
  }

  const std::filesystem::path& shown_;
  std::filesystem::path target_;
  std::optional<draft> draft_;
  int descriptor_ = -1;
};

/// In a folder with the sticky bit only the owner of a file, or of the folder, may replace it.
bool protected_by_its_folder(const struct stat& old, const std::filesystem::path& target) {
  struct stat folder = {};
  const auto user = ::geteuid();
  return user != 0 && old.st_uid != user && ::stat(target.parent_path().c_str(), &folder) == 0 &&
         (folder.st_mode & S_ISVTX) != 0 && folder.st_uid != user;
}

void require_replaceable(const std::filesystem::path& file, const std::filesystem::path& target) {
  struct stat old = {};
  // By the name that was given: /dev/stdout, a link to a pipe, has no other that leads to it.
  if (::stat(file.c_str(), &old) != 0) {
    if (errno != ENOENT) {
      fail_to_write(file, errno);
    }
    if (!file.has_filename()) {
      fail_to_write(file, EISDIR);
    }
    return;
  }
  if (S_ISDIR(old.st_mode)) {
    fail_to_write(file, EISDIR);
  }
  if (!S_ISREG(old.st_mode)) {
    fail_to_write(file, "it is not a regular file");
  }
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail_to_write(file, errno);
  }
  if (protected_by_its_folder(old, target)) {
    fail_to_write(file, "it belongs to another user and its folder is sticky");
  }
}

}  // namespace

void require_writable(const std::filesystem::path& file) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  // Only making a file tells for sure: permissions, read-only mounts and quotas all have their say.
  const new_file probe{file, target};
}

void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  replace_file(file, [&](const byte_sink& to) { to(bytes); });
}

void replace_file(const std::filesystem::path& file,
                  const std::function<void(const byte_sink&)>& write) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  new_file made{file, target};
  write([&](std::span<const std::uint8_t> bytes) { made.write(bytes); });
  made.take_the_targets_name();
}

}  // namespace evencube::workloads
