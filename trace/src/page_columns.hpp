#pragma once

#include <evencube/trace/trace.hpp>
#include <string>

namespace evencube::traces {

/// The columns of a trace for the page that shows it: numbers of seven bits a byte, the lowest bits
/// first, as base64. Times are differences in nanoseconds. Numbers that may be negative are mapped:
/// 0, -1, 1, -2 are 0, 1, 2, 3. A task takes some ten bytes.
struct page_columns {
  /// By worker: the number of its tasks, then for each, in the order of their starts: start,
  /// duration, time in queues, number, 0 or parent + 1, worker where it began.
  std::string tasks;
  /// By worker: the number of its waits, then begin, duration, task.
  std::string waits;
  /// In order of time: time, from, to, task, cause (0: a pull, 1: a rescue, else round + 2).
  std::string moves;
  /// In order of time: time, number, 0 or leader + 1, loads before, loads after.
  std::string rounds;
  std::string regions;
};

[[nodiscard]] page_columns page_columns_of(const trace& recorded);

}  // namespace evencube::traces
