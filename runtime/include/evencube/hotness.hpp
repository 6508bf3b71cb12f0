#pragma once

namespace evencube {

/// How long a worker without work stays awake before it sleeps (`runtime_options::hotness`). If
/// work comes soon, no thread has to wake the worker. With more workers than processing units,
/// workers sleep at once, whatever the choice.
enum class hotness {
  /// At most 20 us. For machines that run on batteries or are shared with other programs.
  never,
  /// Like `never`, until work has come back within 0.3 ms three times in a row. Then a worker stays
  /// awake 1.5 times as long as work recently took to come back, at most 0.3 ms. This ends when no
  /// work comes while the worker is awake, or when another thread takes its processor.
  learned,
  /// 0.3 ms. For programs that have the machine to themselves.
  always
};

}  // namespace evencube
