#pragma once

namespace evencube {

/// How long workers that find nothing to do stay awake, so that what comes soon need not wake them.
/// Whatever is chosen: not where workers outnumber processing units.
enum class hotness {
  /// At most 20 us. For batteries, and for machines that others use.
  never,
  /// As `never`, until work came back within 0.3 ms three times in a row; then as long as it took
  /// of late and half as long again, at most 0.3 ms. Work that comes later than that ends it, and
  /// so
  /// does another thread that took the processor meanwhile. So of four stretches awake at most one
  /// is in vain, and nothing is burnt once the work ends but one stretch of each worker.
  learned,
  /// 0.3 ms. For programs that have the machine for themselves.
  always
};

}  // namespace evencube
