#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <evencube/evencube.hpp>

#include "measurement.hpp"
#include "progress_bar.hpp"
#include "serial_copies.hpp"

namespace evencube::cli {

/// Of several runs.
struct spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

/// Throws std::logic_error for no values.
[[nodiscard]] spread spread_of(std::vector<double> values);

/// Another engine with as many threads. The same index of the lists is the same round of measuring.
struct engine_times {
  std::string engine;
  std::vector<double> seconds;
  spread speedup;   ///< of serial over its time, round by round
  spread over_own;  ///< its time over EvenCube's, round by round
};

/// One number of workers. The same index of the lists is the same round of measuring.
struct speedup_point {
  unsigned workers = 0;
  std::vector<double> seconds;         ///< of the parallel run
  std::vector<double> copies_seconds;  ///< of as many serial copies at once
  std::uint64_t tasks = 0;
  std::uint64_t tasks_moved = 0;  ///< in the last round
  std::vector<unsigned> units;    ///< of the operating system, by worker
  spread speedup;                 ///< of serial over parallel time, round by round
  spread limit;                   ///< of workers x serial over copies' time, round by round
  double efficiency = 0;          ///< speed-up per worker
  double of_limit = 0;            ///< speed-up over limit
  /// The Karp-Flatt metric of speed-up and limit: the serial part of a program that Amdahl's law
  /// would give this speed-up. Negative above the number of workers. Nothing for one worker.
  std::optional<double> serial_fraction;
  std::optional<double> serial_fraction_of_limit;
  std::vector<engine_times> others;

  // Of weak scaling alone, where the speed-up is over the serial twin of the grown problem.
  std::vector<double> grown_serial_seconds;  ///< of that twin
  std::string problem;                       ///< workload::problem() of the grown one
  double kept = 0;  ///< time of one worker's problem, serially, over the parallel time
  /// (p - s) / (p - 1), the share of the parallel time in which one worker alone is at work in
  /// Gustafson's law, of speed-up and limit. Nothing for one worker.
  std::optional<double> gustafson_fraction;
  std::optional<double> gustafson_fraction_of_limit;
};

struct speedup_report {
  bool weak = false;   ///< the problem grows with the workers
  std::string growth;  ///< how, where it does
  std::string workload;
  std::string placement;
  runtime_options options;
  std::string reason;
  std::vector<double> serial_seconds;
  std::vector<speedup_point> points;
  checked check;  ///< the last; a failed one, if any failed

  [[nodiscard]] bool good() const { return not_failed(check); }
};

/// What the serial fractions say.
enum class scaling {
  alone,     ///< one worker only: nothing to say
  machine,   ///< the machine loses as much with programs that share nothing
  slower,    ///< no faster than the serial program: nothing to tell parts of
  none,      ///< hardly anything is serial
  constant,  ///< about the same for all numbers of workers: a serial part
  growing,   ///< grows with the workers: overhead, or too little work
  unclear,   ///< falls with the workers, or jumps
  single     ///< one number of workers does not tell a serial part from overhead
};

/// By the Karp-Flatt metric.
[[nodiscard]] scaling scaling_of(const std::vector<speedup_point>& points);

/// The same by Gustafson's fraction.
[[nodiscard]] scaling weak_scaling_of(const std::vector<speedup_point>& points);

/// (1/s - 1/p) / (1 - 1/p) for a speed-up s on p > 1 workers.
[[nodiscard]] double karp_flatt(double speedup, unsigned workers);

/// (p - s) / (p - 1) for a scaled speed-up s on p > 1 workers: s times the Karp-Flatt metric.
[[nodiscard]] double gustafson(double speedup, unsigned workers);

/// The scaled speed-up on `workers` by Gustafson's law.
[[nodiscard]] double gustafson_speedup(double fraction, double workers);

/// The speed-up on `workers` by Amdahl's law.
[[nodiscard]] double amdahl(double serial_fraction, double workers);

/// Powers of two below `most`, and `most`.
[[nodiscard]] std::vector<unsigned> usual_worker_counts(unsigned most);

/// Of --workers: ascending, each once. Throws usage_error for what is no list of numbers of
/// workers.
[[nodiscard]] std::vector<unsigned> listed_worker_counts(const std::string& text);

/// What to measure.
struct speedup_plan {
  runtime_options options;
  std::vector<unsigned> workers;    ///< ascending
  std::vector<std::string> others;  ///< as of listed_engines
  unsigned repeat = 1;
  bool verify = true;
  /// The problem for each of `workers`; empty where all of them work on the same.
  std::vector<std::unique_ptr<workloads::workload>> grown;
};

/// Measures in rounds: the serial program, then for each number of workers the copies and the
/// parallel run, in reverse order every other round, so that a slow moment of the machine does not
/// fall on one of them alone. The engines of `others` run the same tasks after EvenCube. Every
/// parallel run is verified if `verify`. Where the problem grows, its serial twin is measured for
/// each number of workers, too, and the copies are of `work`, the problem of one.
[[nodiscard]] speedup_report measure_speedup(workloads::workload& work, serial_copies& copies,
                                             const speedup_plan& plan, progress_bar& progress);

}  // namespace evencube::cli
