#pragma once

namespace evencube {

/// How long a worker without work stays awake before it sleeps (`runtime_options::hotness`). If
/// work comes while the worker is awake, no thread has to wake it. With more workers than
/// processing units, workers always sleep immediately.
enum class hotness {
  /// At most 20 us. For machines that run on batteries or are shared with other programs.
  never,
  /// Like `never` until work has returned within 0.3 ms three times in a row. Then a worker stays
  /// awake 1.5 times as long as work recently took to return, at most 0.3 ms. This rule ends when
  /// no work comes while the worker is awake, or another thread takes its processor.
  learned,
  /// 0.3 ms. For programs that have the machine to themselves.
  always
};

}  // namespace evencube
