#pragma once

namespace evencube {

/// Options that have shown no gain on any machine yet. They may change or be removed in any
/// version.
struct experimental_options {
  /// If true, the present speed of each worker is measured and given to balancers that take
  /// capacities. The speed depends on the share of its processing unit that the worker's thread got
  /// while it had work, because other programs may run on that unit. With
  /// `runtime_options::measured_costs` it also depends on how long the worker's tasks take compared
  /// with tasks of the same functions on other workers, because the worker's core may be slower. If
  /// false, the speed of a worker is the speed that the system reports for its core.
  bool measured_speeds = false;
};

}  // namespace evencube
