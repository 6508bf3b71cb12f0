#pragma once

namespace evencube {

/// What has shown no gain on a machine yet, and may change or go in any version.
struct experimental_options {
  /// How fast each worker is at the moment is measured, and told to balancers that know of
  /// capacities: what share of its unit its thread got while it had work, for other programs may
  /// run there; and with `runtime_options::measured_costs` how long its tasks take beside those of
  /// the same functions elsewhere, for its core may be slower. Off: a worker is as fast as its core
  /// is said to be.
  bool measured_speeds = false;
};

}  // namespace evencube
