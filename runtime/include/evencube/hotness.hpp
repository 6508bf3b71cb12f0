#pragma once

namespace evencube {

/// How long a worker without work stays awake before it sleeps (`runtime_options::hotness`). If
/// work arrives meanwhile, no thread has to wake the worker. With more workers than processing
/// units, workers always sleep immediately.
enum class hotness {
  /// Stay awake for at most 20 us. For machines that run on battery or are shared with other
  /// programs.
  never,
  /// Like `never` until new work has arrived within 0.3 ms three times in a row. Then stay awake
  /// 1.5 times as long as work recently took to arrive, at most 0.3 ms. This ends when no work
  /// arrives in that time or another thread takes the processor.
  learned,
  /// Stay awake for 0.3 ms. For programs that have the machine to themselves.
  always
};

}  // namespace evencube
