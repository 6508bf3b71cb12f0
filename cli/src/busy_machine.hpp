#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace evencube::cli {

/// What all processors of the machine have done since it started, in seconds of processor time.
struct processor_times {
  double busy = 0;    ///< ran programs or the system
  double stolen = 0;  ///< wanted to run, while the host of the virtual machine ran something else
  double all = 0;     ///< of all processors, at work or not
  unsigned processors = 0;
};

/// Reads the text of /proc/stat, whose times are in units of 1 / `ticks_per_second` seconds.
/// Returns nothing for a text without these times.
[[nodiscard]] std::optional<processor_times> processor_times_of(std::string_view stat,
                                                                double ticks_per_second);

/// A sentence that says how busy other programs kept the machine between two moments, or an empty
/// text if they hardly did. `own_seconds` is the processor time of this program between them.
[[nodiscard]] std::string busy_warning(const processor_times& before, const processor_times& after,
                                       double own_seconds);

/// Watches the machine from its construction on, for programs that measure.
class machine_watch {
 public:
  machine_watch();

  /// A line with the sentence of `busy_warning`. Empty on a quiet machine, and where nothing is
  /// known.
  [[nodiscard]] std::string warning() const;

 private:
  std::optional<processor_times> before_;
  double own_before_;
};

}  // namespace evencube::cli
