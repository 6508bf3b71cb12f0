#pragma once

namespace evencube {

/// Options that have not yet improved performance on any machine. They may change or be removed in
/// any version.
struct experimental_options {
  /// If true, the current speed of each worker is measured and passed to balancers that use
  /// capacities. The speed depends on the share of its processing unit that the worker's thread
  /// received while it had work, because other programs may be using that unit. With
  /// `runtime_options::measured_costs` it also depends on how long the worker's tasks take compared
  /// with tasks of the same functions on other workers, because the worker's core may be slower. If
  /// false, a worker's speed is the speed that the system reports for its core.
  bool measured_speeds = false;
};

}  // namespace evencube
