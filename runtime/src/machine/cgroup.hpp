#pragma once

#include <limits>
#include <string>

namespace evencube::detail {

/// A limit on the CPU time of a control group, or of a job object of Windows.
struct cpu_quota {
  /// CPUs' worth of time, > 0; infinite if there is no limit.
  double cpus = std::numeric_limits<double>::infinity();
  /// The group that sets the limit, as in "cgroup v2 /jobs/42", or "job object"; empty if there is
  /// none.
  std::string group;
};

/// The smallest CPU limit among the control group of this process and the groups above it, as far
/// up as the process can see, in both versions of the interface. `root` is the directory that
/// contains `proc/self` and the mounted control groups: `/` except in tests. For `/`, the limit
/// that the system itself sets counts, too. A file that cannot be read or makes no sense sets no
/// limit.
[[nodiscard]] cpu_quota read_cpu_quota(const std::string& root);

}  // namespace evencube::detail
