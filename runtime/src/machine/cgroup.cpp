#include "machine/cgroup.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "platform/platform.hpp"

namespace evencube::detail {
namespace {

// Names of files are strings here: when memory runs out, joining two of libstdc++'s paths corrupts
// their contents.

enum class cgroup_version { v1, v2 };

// The group of this process in one hierarchy, as the kernel names it from the hierarchy's root.
struct membership {
  cgroup_version version;
  std::string group;
};

// A directory at which `root` (a group) and what is below it can be seen.
struct cgroup_mount {
  cgroup_version version;
  std::string root;
  std::string directory;
};

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool lists_cpu_controller(std::string_view comma_separated) {
  return std::ranges::count(split(comma_separated, ','), "cpu") > 0;
}

// mountinfo writes blanks and backslashes in names as three octal digits.
std::string unescape(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    unsigned code = 0;
    const char* const digits = text.data() + at + 1;
    if (text[at] == '\\' && at + 3 < text.size() &&
        std::from_chars(digits, digits + 3, code, 8).ptr == digits + 3 && code < 128) {
      plain.push_back(static_cast<char>(code));
      at += 3;
    } else {
      plain.push_back(text[at]);
    }
  }
  return plain;
}

// Lines "id:controllers:group"; version 2 has id 0 and no controllers. The group may hold colons.
std::vector<membership> read_memberships(const std::string& file) {
  std::vector<membership> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (line.starts_with("0:") && controllers.empty()) {
      found.push_back({cgroup_version::v2, std::move(group)});
    } else if (lists_cpu_controller(controllers)) {
      found.push_back({cgroup_version::v1, std::move(group)});
    }
  }
  return found;
}

// Lines "id parent device root directory options [tags...] - type source super-options".
std::vector<cgroup_mount> read_mounts(const std::string& file) {
  std::vector<cgroup_mount> found;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const std::vector<std::string> fields = split(line, ' ');
    const auto dash = std::ranges::find(fields, "-");
    if (dash - fields.begin() < 6 || fields.end() - dash < 4) continue;
    const std::string& type = dash[1];
    if (type == "cgroup2") {
      found.push_back({cgroup_version::v2, unescape(fields[3]), unescape(fields[4])});
    } else if (type == "cgroup" && lists_cpu_controller(dash[3])) {
      found.push_back({cgroup_version::v1, unescape(fields[3]), unescape(fields[4])});
    }
  }
  return found;
}

// `group` as seen from a mount of `root`, if it is there; empty for the root itself. In a container
// without a namespace of its own, the mount shows the container's group as its root.
std::optional<std::string> below(std::string_view root, std::string_view group) {
  // "/../jobs" is a group outside our namespace, and is not "/jobs".
  while (root.ends_with('/')) root.remove_suffix(1);
  while (group.ends_with('/')) group.remove_suffix(1);
  if (!group.starts_with(root)) return std::nullopt;
  group.remove_prefix(root.size());
  if (group.empty()) return std::string();
  if (group.front() != '/' || group == "/.." || group.starts_with("/../")) return std::nullopt;
  return std::string(group.substr(1));
}

std::optional<double> ratio(double quota, double period) {
  if (!(quota > 0.0) || !(period > 0.0)) return std::nullopt;
  return quota / period;
}

// A missing file leaves `in` failed and yields nothing, as does "max".
std::optional<double> limit_of(cgroup_version version, const std::string& directory) {
  if (version == cgroup_version::v2) {
    std::ifstream in(directory + "/cpu.max");
    double quota = 0.0;
    if (!(in >> quota)) return std::nullopt;
    double period = 0.0;
    if (!(in >> period)) period = 100000.0;  // the kernel's default, in microseconds
    return ratio(quota, period);
  }
  double quota = 0.0;
  double period = 0.0;
  if (!(std::ifstream(directory + "/cpu.cfs_quota_us") >> quota)) return std::nullopt;
  if (!(std::ifstream(directory + "/cpu.cfs_period_us") >> period)) return std::nullopt;
  return ratio(quota, period);  // no limit is written as -1
}

// The mount that shows the process's group. If no mount does (the group lies outside our
// namespace), the first mount of the hierarchy: the limits at its top still hold.
struct visible_group {
  std::string mount_point;
  std::string relative;
};

std::optional<visible_group> locate(const membership& member,
                                    const std::vector<cgroup_mount>& mounts) {
  std::optional<visible_group> outside;
  for (const cgroup_mount& mount : mounts) {
    if (mount.version != member.version) continue;
    if (const auto relative = below(mount.root, member.group)) {
      return visible_group{mount.directory, *relative};
    }
    if (!outside) outside = visible_group{mount.directory, ""};
  }
  return outside;
}

}  // namespace

cpu_quota read_cpu_quota(const std::string& root) {
  cpu_quota smallest;
  if (root == "/") {
    if (const std::optional<double> limit = limit_of_job()) smallest = {*limit, "job object"};
    if (!has_control_groups()) return smallest;
  }
  const std::vector<cgroup_mount> mounts = read_mounts(root + "/proc/self/mountinfo");
  for (const membership& member : read_memberships(root + "/proc/self/cgroup")) {
    const std::optional<visible_group> place = locate(member, mounts);
    if (!place) continue;
    const std::string top = root + "/" + place->mount_point;
    const std::string version = member.version == cgroup_version::v2 ? "v2" : "v1";
    for (std::string group = place->relative;;) {
      const std::optional<double> limit = limit_of(member.version, top + "/" + group);
      if (limit && *limit < smallest.cpus) {
        smallest = {*limit, "cgroup " + version + " /" + group};
      }
      if (group.empty()) break;
      const std::size_t above = group.rfind('/');
      group.resize(above == std::string::npos ? 0 : above);
    }
  }
  return smallest;
}

}  // namespace evencube::detail
