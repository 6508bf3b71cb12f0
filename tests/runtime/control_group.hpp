#pragma once

#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <utility>

namespace evencube::test {

/// A control group of the real system below that of this process, with one limit. It must be empty
/// again when it is removed. May be made only where the system lets this process do it.
class control_group {
 public:
  /// `v1` and `v2` are the file of the limit and what is written to it, in the two versions of the
  /// interface.
  control_group(const std::string& controller, const std::pair<std::string, std::string>& v1,
                const std::pair<std::string, std::string>& v2) {
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line);) {
      const auto names = line.find(':') + 1;
      const auto path = line.find(':', names) + 1;
      const bool second = path == names + 1;
      if (!second && line.substr(names, path - 1 - names) != controller) continue;
      const auto mount = std::filesystem::path("/sys/fs/cgroup") / (second ? "" : controller);
      if (make(mount / line.substr(path).substr(1), second ? v2 : v1)) return;
    }
  }
  /// A group that may use that share of a processor, or of several.
  explicit control_group(double processors)
      : control_group("cpu", {"cpu.cfs_quota_us", quota_of(processors)},
                      {"cpu.max", quota_of(processors) + " 100000"}) {}
  control_group(const control_group&) = delete;
  control_group& operator=(const control_group&) = delete;
  ~control_group() {
    if (!folder_.empty()) ::rmdir(folder_.c_str());
  }

  /// False where no such group may be made here.
  explicit operator bool() const { return !folder_.empty(); }
  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

  /// Changes the share of a group of processors.
  bool resize(double processors) const {
    return write(limit_, quota_of(processors) + (limit_ == "cpu.max" ? " 100000" : ""));
  }
  /// Moves the calling process into the group.
  [[nodiscard]] bool enter() const { return write("cgroup.procs", "0"); }
  /// How often the system has stopped the processes of a group of processors to keep the limit.
  [[nodiscard]] std::uint64_t throttled() const {
    std::ifstream stat(folder_ / "cpu.stat");
    std::uint64_t value = 0;
    for (std::string name; stat >> name >> value;) {
      if (name == "nr_throttled") return value;
    }
    return 0;
  }

 private:
  static std::string quota_of(double processors) {
    return std::to_string(static_cast<long>(processors * 100'000));
  }
  [[nodiscard]] bool write(const std::string& file, const std::string& text) const {
    std::ofstream out;
    if (std::filesystem::exists(folder_ / file)) out.open(folder_ / file);
    out << text << std::flush;
    return out.is_open() && out;
  }
  bool make(const std::filesystem::path& parent, const std::pair<std::string, std::string>& limit) {
    const auto folder = parent / ("evencube-test-" + std::to_string(::getpid()));
    std::error_code refused;
    if (!std::filesystem::create_directory(folder, refused)) return false;
    folder_ = folder;
    limit_ = limit.first;
    if (write(limit.first, limit.second)) return true;
    ::rmdir(folder.c_str());
    folder_.clear();
    return false;
  }

  std::filesystem::path folder_;
  std::string limit_;
};

}  // namespace evencube::test
