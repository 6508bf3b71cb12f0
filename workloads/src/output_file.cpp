#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <evencube/workloads/output_file.hpp>

namespace evencube::workloads {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& why) {
  throw output_error{file.string() + ": cannot write: " + why};
}

[[noreturn]] void fail(const std::filesystem::path& file, int code) {
  fail(file, std::string{std::strerror(code)});
}

/// A new file beside the target, removed again unless it is given the target's name.
class temporary_file {
 public:
  temporary_file(const std::filesystem::path& shown, std::filesystem::path target)
      : shown_{shown}, target_{std::move(target)} {
    // The process id keeps two programs apart; the counter, a left-over of an earlier crash.
    for (unsigned attempt = 0; descriptor_ < 0; ++attempt) {
      path_ = target_;
      path_.replace_filename(".evencube-" + std::to_string(::getpid()) + "-" +
                             std::to_string(attempt) + ".tmp");
      descriptor_ = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor_ < 0 && (errno != EEXIST || attempt == 1000)) {
        fail(shown_, errno);
      }
    }
  }
  temporary_file(const temporary_file&) = delete;
  temporary_file& operator=(const temporary_file&) = delete;
  ~temporary_file() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
    if (!path_.empty()) {
      ::unlink(path_.c_str());
    }
  }

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

  void write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
      const auto written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno == EINTR) {
        continue;
      }
      if (written < 0) {
        fail(shown_, errno);
      }
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
  }

  void take_the_targets_name() {
    struct stat old = {};
    if (::stat(target_.c_str(), &old) == 0 && ::fchmod(descriptor_, old.st_mode & 07777) != 0) {
      fail(shown_, errno);
    }
    // Without this, a power cut soon after could leave an empty file under the good name.
    if (::fsync(descriptor_) != 0) {
      fail(shown_, errno);
    }
    if (::close(std::exchange(descriptor_, -1)) != 0) {
      fail(shown_, errno);
    }
    if (::rename(path_.c_str(), target_.c_str()) != 0) {
      fail(shown_, errno);
    }
    path_.clear();
  }

 private:
  const std::filesystem::path& shown_;
  std::filesystem::path target_;
  std::filesystem::path path_;
  int descriptor_ = -1;
};

/// Where a write to `file` really goes: symbolic links are followed.
std::filesystem::path real_target(const std::filesystem::path& file) {
  if (file.empty()) {
    fail(file, "the name is empty");
  }
  std::error_code problem;
  auto target = std::filesystem::weakly_canonical(file, problem);
  if (problem) {
    fail(file, problem.message());
  }
  return target;
}

void require_replaceable(const std::filesystem::path& file, const std::filesystem::path& target) {
  struct stat old = {};
  if (::stat(target.c_str(), &old) != 0) {
    if (errno != ENOENT) {
      fail(file, errno);
    }
    if (!file.has_filename()) {
      fail(file, EISDIR);
    }
    return;
  }
  if (S_ISDIR(old.st_mode)) {
    fail(file, EISDIR);
  }
  if (!S_ISREG(old.st_mode)) {
    fail(file, "it is not a regular file");
  }
  if (::faccessat(AT_FDCWD, target.c_str(), W_OK, AT_EACCESS) != 0) {
    fail(file, errno);
  }
}

}  // namespace

void require_writable(const std::filesystem::path& file) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  // Only making a file tells for sure: permissions, read-only mounts and quotas all have their say.
  const temporary_file probe{file, target};
}

void replace_file(const std::filesystem::path& file, std::span<const std::uint8_t> bytes) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  temporary_file temporary{file, target};
  temporary.write(bytes);
  temporary.take_the_targets_name();
}

void replace_file(const std::filesystem::path& file,
                  const std::function<void(const std::filesystem::path&)>& write) {
  const auto target = real_target(file);
  require_replaceable(file, target);
  temporary_file temporary{file, target};
  write(temporary.path());
  temporary.take_the_targets_name();
}

}  // namespace evencube::workloads
