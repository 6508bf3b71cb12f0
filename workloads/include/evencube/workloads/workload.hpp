#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <evencube/workloads/placement.hpp>
#include <evencube/workloads/task_loop.hpp>

namespace evencube {
class runtime;
}

namespace evencube::workloads {

/// What the user may ask of a workload. What is not given takes the workload's own default; what a
/// workload has no use for, it refuses.
struct workload_options {
  placement where = placement::spread;

  /// Side of the made-up picture in pixels, order of the matrices, or number of tasks.
  std::optional<std::int64_t> size = std::nullopt;

  /// Side of the square tiles that make one task each, in pixels or matrix rows.
  std::optional<std::int64_t> tile = std::nullopt;

  /// Picture to read.
  std::optional<std::filesystem::path> input = std::nullopt;

  /// Pixels of a picture to read whatever the size of its file, 1 to max_picture_pixels.
  std::optional<std::int64_t> max_pixels = std::nullopt;

  /// Smallest magnitude, 1 to 255, of an edge pixel.
  std::optional<std::int64_t> threshold = std::nullopt;

  /// Lines to draw, 0 to 1000.
  std::optional<std::int64_t> lines = std::nullopt;

  /// Kernel of the matrix product: "auto", "portable" or "blas".
  std::optional<std::string> kernel = std::nullopt;

  /// Time each task spins, in microseconds.
  std::optional<double> task_us = std::nullopt;

  /// Of random input; not negative.
  std::optional<std::int64_t> seed = std::nullopt;

  /// The work of so many workers, each with as much as all of the problem above: how the problem
  /// grows is each workload's own (workload_entry::growth). 1 to max_times.
  std::uint32_t times = 1;

  static constexpr std::uint32_t max_times = 1024;
};

/// Whether the parallel run did what it had to.
struct verification {
  bool passed = false;

  /// What was compared and how it came out, in one line.
  std::string detail;
};

/// A program to try the runtime on. Making it prepares the input; after that, run_serial() and
/// run() may be called in any order and any number of times, by one thread at a time.
class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  /// The name under which the registry knows it.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// The serial twin: the same work by the same kernels in a plain loop on the calling thread.
  virtual void run_serial() = 0;

  /// Forgets the result of the last run(), so that it cannot pass for that of the next, and touches
  /// the memory that the next one will write. No part of the work: call it before the clock starts.
  virtual void reset() = 0;

  /// The work as tasks of the runtime.
  virtual void run(runtime& workers) = 0;

  /// The same tasks by another engine with up to `threads` threads, a loop for each stage, without
  /// hints where they should run. Counts as a run() for everything else.
  virtual void run_by(const task_loop& loop, unsigned threads) = 0;

  /// What there is to work on, in a few words such as "8192 tasks".
  [[nodiscard]] virtual std::string problem() const = 0;

  /// Tasks that the last run() gave to the runtime; before the first one, as far as it is known.
  [[nodiscard]] virtual std::uint64_t tasks() const noexcept = 0;

  /// Checks what the last run() left. Throws std::logic_error if there was none, or no run_serial()
  /// where that is what it is compared with.
  [[nodiscard]] virtual verification verify() const = 0;

  /// Whether there is a result to look at.
  [[nodiscard]] virtual bool has_output() const noexcept { return false; }

  /// Writes the result of the last run(). Throws output_error when that fails; std::logic_error
  /// where there is none.
  virtual void write_output(const std::filesystem::path& file) const;
};

/// One entry of the registry.
struct workload_entry {
  std::string_view name;
  std::string_view summary;

  /// How the problem grows with workload_options::times, as a clause.
  std::string_view growth;

  /// Throws std::invalid_argument that names the bad option and what is allowed, or image_error.
  std::function<std::unique_ptr<workload>(const workload_options&)> make;
};

/// All workloads, by name.
[[nodiscard]] const std::vector<workload_entry>& registered_workloads();

/// Makes the workload registered as `name`. Throws what its entry throws, and std::invalid_argument
/// that lists the known ones for an unknown name.
[[nodiscard]] std::unique_ptr<workload> make_workload(std::string_view name,
                                                      const workload_options& options = {});

}  // namespace evencube::workloads
