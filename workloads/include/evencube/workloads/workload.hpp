#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <evencube/workloads/placement.hpp>
#include <evencube/workloads/task_loop.hpp>

namespace evencube {
class runtime;
}

namespace evencube::workloads {

/// The value given for an option.
using option_value = std::variant<std::int64_t, double, std::string>;

/// The options that the user gives for a workload. An option that is not given has the workload's
/// own default. make_workload() refuses an option that the workload does not have.
struct workload_options {
  placement where = placement::spread;

  /// The factor by which the work grows, 1 to max_times: each of `times` workers then has as much
  /// work as the original problem. Each workload defines how its problem grows
  /// (workload_entry::growth).
  std::uint32_t times = 1;

  static constexpr std::uint32_t max_times = 1024;

  /// The values, keyed by option name without dashes: {"size", 512}.
  std::map<std::string, option_value, std::less<>> values = {};
};

/// The kinds of options: a whole number or a real number, each within inclusive bounds; a string;
/// the name of an input file, which has no default.
struct whole_option {
  std::int64_t usual;
  std::int64_t least;
  std::int64_t most;
};
struct real_option {
  double usual;
  double least;
  double most;
};
struct text_option {
  std::string usual;
  std::vector<std::string> known = {};  ///< The allowed strings; empty: any string.
};
struct file_option {};

/// One option of a workload. The command line offers it with its help, and make_workload()
/// validates the given value. Options of the same name have the same kind in all workloads.
struct workload_option {
  std::string name;  ///< Without dashes.
  std::string help;  ///< The meaning of the option; its default is appended.
  std::variant<whole_option, real_option, text_option, file_option> kind;
};

/// The validated options of one workload; options that were not given have their defaults. The
/// members throw std::logic_error for an option that the workload does not have, or that is of
/// another kind.
class option_values {
 public:
  /// Throws std::invalid_argument, whose message names the workload or the allowed values, for an
  /// option not in `known` and for a value that is out of bounds or of the wrong kind. `known` must
  /// outlive this object.
  option_values(std::string_view workload, const std::vector<workload_option>& known,
                const workload_options& asked);

  [[nodiscard]] placement where() const noexcept { return asked_.where; }
  [[nodiscard]] std::uint32_t times() const noexcept { return asked_.times; }
  [[nodiscard]] bool given(std::string_view name) const { return asked_.values.contains(name); }

  /// Returns the value of a whole-number option whose bounds are not negative.
  [[nodiscard]] std::uint64_t whole(std::string_view name) const;
  [[nodiscard]] double real(std::string_view name) const;
  [[nodiscard]] std::string text(std::string_view name) const;
  [[nodiscard]] std::optional<std::filesystem::path> file(std::string_view name) const;

 private:
  const workload_option& known(std::string_view name) const;

  const std::vector<workload_option>& known_;
  workload_options asked_;
};

class carried_function;
class carried_run;

/// The result of checking a parallel run.
struct verification {
  bool passed = false;

  /// The compared values and the result of the comparison, on one line.
  std::string detail;
};

/// A program for trying out the runtime. The constructor prepares the input. After that,
/// run_serial() and run() may be called in any order and any number of times, by one thread at a
/// time.
class workload {
 public:
  workload() = default;
  workload(const workload&) = delete;
  workload& operator=(const workload&) = delete;
  virtual ~workload() = default;

  /// The name under which the workload is registered.
  [[nodiscard]] virtual std::string_view name() const noexcept = 0;

  /// The serial twin: does the same work with the same kernels in a plain loop on the calling
  /// thread.
  virtual void run_serial() = 0;

  /// Forgets the result of the last run(), so that it cannot be mistaken for the result of the next
  /// run, and touches the memory that the next run will write. Call this before the clock starts,
  /// because it is not part of the work.
  virtual void reset() = 0;

  /// Runs the work as tasks of the runtime.
  virtual void run(runtime& workers) = 0;

  /// Runs the tasks of run() on another engine with up to `threads` threads, as one loop per stage,
  /// without placement hints. Counts as a run() for the other members.
  virtual void run_by(const task_loop& loop, unsigned threads) = 0;

  /// Begins a run whose tasks carry their data (carried.hpp). Throws std::logic_error if the
  /// workload has no such tasks (workload_entry::carried is empty).
  [[nodiscard]] virtual std::unique_ptr<carried_run> run_carried();

  /// Returns the size of the problem in a few words, such as "8192 tasks".
  [[nodiscard]] virtual std::string problem() const { return std::to_string(tasks()) + " tasks"; }

  /// Returns the number of tasks that the last run() gave to the runtime; before the first run, the
  /// number known so far.
  [[nodiscard]] virtual std::uint64_t tasks() const noexcept = 0;

  /// Checks the result of the last run(). Throws std::logic_error if there was no run(), or if the
  /// check needs a run_serial() and there was none.
  [[nodiscard]] virtual verification verify() const = 0;

  /// Returns a sentence for each part of the input that could not be read and was left out of the
  /// work.
  [[nodiscard]] virtual std::vector<std::string> left_out() const { return {}; }

  /// Returns true if write_output() can write a result.
  [[nodiscard]] virtual bool has_output() const noexcept { return false; }

  /// Writes the result of the last run(), to a folder if the input was a folder. Throws
  /// output_error if this fails, and std::logic_error if the workload has no output.
  virtual void write_output(const std::filesystem::path& file) const;
};

/// One entry of the registry.
struct workload_entry {
  std::string name;
  std::string summary;

  /// A description of what --output writes; empty: no output.
  std::string output;

  std::vector<workload_option> options;

  /// Makes the workload. Throws std::invalid_argument for contradictory options, and also
  /// input_error.
  std::function<std::unique_ptr<workload>(const option_values&)> make;

  /// How the problem grows with workload_options::times, as a clause; empty: no growth.
  std::string growth = {};

  /// The whole-number option that makes --output a folder if its value is above 0; empty: no such
  /// option.
  std::string folder_option = {};

  /// Makes the function that the tasks of run_carried() call, for up to `threads` threads; empty:
  /// no such tasks. Throws std::invalid_argument as `make` does.
  std::function<std::unique_ptr<carried_function>(const option_values&, unsigned threads)> carried =
      {};
};

/// All workloads, by name.
[[nodiscard]] const std::vector<workload_entry>& registered_workloads();

/// Makes the workload registered as `name`. Throws the exceptions of its entry and of
/// option_values. For an unknown name, throws std::invalid_argument, whose message lists the known
/// names.
[[nodiscard]] std::unique_ptr<workload> make_workload(std::string_view name,
                                                      const workload_options& options = {});

}  // namespace evencube::workloads
