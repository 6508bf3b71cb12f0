// Machines in hwloc's synthetic language, and where workers are put on them. What stands behind a
// new line is the limit that a control group sets there.

#include <stdlib.h>

#include <algorithm>
#include <evencube/machine.hpp>
#include <filesystem>
#include <fstream>
#include <optional>
#include <stdexcept>
#include <string>

#include "support.hpp"

namespace {

bool refused(const evencube::machine_options& options) {
  try {
    (void)discover_machine(options);
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

/// A folder that stands for the root of a system with one control group.
class group_folder {
 public:
  group_folder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "evencube-fuzz-XXXXXX").string();
    evencube::fuzz::require(::mkdtemp(pattern.data()) != nullptr, "a folder is made");
    path_ = pattern;
    write("proc/self/cgroup", "0::/g\n");
    write("proc/self/mountinfo", "35 24 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw\n");
  }
  group_folder(const group_folder&) = delete;
  group_folder& operator=(const group_folder&) = delete;
  ~group_folder() { std::filesystem::remove_all(path_); }

  /// The root, once the group has this limit.
  std::string with(const std::string& limit) const {
    write("sys/fs/cgroup/g/cpu.max", limit);
    return path_.string();
  }

 private:
  void write(const std::string& name, const std::string& content) const {
    std::filesystem::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << content;
  }

  std::filesystem::path path_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace evencube;
  if (size == 0) return 0;  // this machine
  static const group_folder group;
  const auto lines = fuzz::lines_of(fuzz::text_of(data, size), 2);
  const std::string text = lines[0];
  if (text.empty()) return 0;
  fuzz::require(refused({.synthetic = text, .use_hwloc = false}), "only hwloc reads descriptions");
  fuzz::require(refused({.synthetic = text, .xml = text}), "a machine has one description");
  try {
    const machine on = discover_machine(
        {.synthetic = text,
         .root = lines.size() > 1 ? std::optional(group.with(lines[1])) : std::nullopt});
    fuzz::require(on.quota > 0, "a quota pays for something");
    fuzz::require(!on.units.empty() && on.units.size() <= 8192, "a machine has units");
    const auto workers = std::min<unsigned>(on.default_workers + 1, 300);
    const auto placed = place_workers(on, workers);
    fuzz::require(placed.size() == workers, "each worker has a place");
    for (const unsigned unit : placed) fuzz::require(unit < on.units.size(), "which exists");
  } catch (const std::invalid_argument&) {
  }
  return 0;
}
