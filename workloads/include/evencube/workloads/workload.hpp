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

/// A value that was given for an option.
using option_value = std::variant<std::int64_t, double, std::string>;

/// What the user asks of a workload. What is not given takes the workload's own default; what a
/// workload has no use for, make_workload refuses.
struct workload_options {
  placement where = placement::spread;

  /// The work of so many workers, each with as much as all of the problem that the options name:
  /// how the problem grows is each workload's own (workload_entry::growth). 1 to max_times.
  std::uint32_t times = 1;

  static constexpr std::uint32_t max_times = 1024;

  /// By the option's name without dashes: {"size", 512}.
  std::map<std::string, option_value, std::less<>> values = {};
};

/// The kinds of options: a whole number and a real one, both within bounds that are allowed, too; a
/// text; the name of a file to read, of which there is none unless it is given.
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
  std::vector<std::string> known = {};  ///< What it may be; empty: anything.
};
struct file_option {};

/// One option of a workload. By this the command line offers it, with help, and make_workload
/// checks what is given. Options of one name are of one kind, whosever they are.
struct workload_option {
  std::string name;  ///< Without dashes.
  std::string help;  ///< What it means; the default is added.
  std::variant<whole_option, real_option, text_option, file_option> kind;
};

/// The options of one workload, checked; what was not given has its default. To ask for an option
/// that the workload has not, or for one of another kind, is a std::logic_error.
class option_values {
 public:
  /// Throws std::invalid_argument that names the workload or what is allowed, for an option that is
  /// not among `known`, a value out of bounds or one of the wrong kind. `known` outlives this.
  option_values(std::string_view workload, const std::vector<workload_option>& known,
                const workload_options& asked);

  [[nodiscard]] placement where() const noexcept { return asked_.where; }
  [[nodiscard]] std::uint32_t times() const noexcept { return asked_.times; }
  [[nodiscard]] bool given(std::string_view name) const { return asked_.values.contains(name); }

  /// Of an option whose bounds are not negative.
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

  /// Begins a run whose tasks carry what they work on (carried.hpp). Throws std::logic_error where
  /// there are no such tasks: where workload_entry::carried is empty.
  [[nodiscard]] virtual std::unique_ptr<carried_run> run_carried();

  /// What there is to work on, in a few words such as "8192 tasks".
  [[nodiscard]] virtual std::string problem() const { return std::to_string(tasks()) + " tasks"; }

  /// Tasks that the last run() gave to the runtime; before the first one, as far as it is known.
  [[nodiscard]] virtual std::uint64_t tasks() const noexcept = 0;

  /// Checks what the last run() left. Throws std::logic_error if there was none, or no run_serial()
  /// where that is what it is compared with.
  [[nodiscard]] virtual verification verify() const = 0;

  /// What of the input could not be read, and is left out of the work: a sentence for each.
  [[nodiscard]] virtual std::vector<std::string> left_out() const { return {}; }

  /// Whether there is a result to look at.
  [[nodiscard]] virtual bool has_output() const noexcept { return false; }

  /// Writes the result of the last run(), to a folder where the input was one. Throws output_error
  /// when that fails; std::logic_error where there is none.
  virtual void write_output(const std::filesystem::path& file) const;
};

/// One entry of the registry.
struct workload_entry {
  std::string name;
  std::string summary;

  /// What --output writes; empty: nothing.
  std::string output;

  std::vector<workload_option> options;

  /// Throws std::invalid_argument for options that contradict each other, and input_error.
  std::function<std::unique_ptr<workload>(const option_values&)> make;

  /// How the problem grows with workload_options::times, as a clause; empty: it does not.
  std::string growth = {};

  /// The whole option which, above 0, makes a folder of --output; empty: there is none.
  std::string folder_option = {};

  /// Makes what its tasks do where they carry what they work on, for up to `threads` threads at a
  /// time; empty: there are no such tasks. Throws std::invalid_argument as `make` does.
  std::function<std::unique_ptr<carried_function>(const option_values&, unsigned threads)> carried =
      {};
};

/// All workloads, by name.
[[nodiscard]] const std::vector<workload_entry>& registered_workloads();

/// Makes the workload registered as `name`. Throws what its entry and option_values throw, and
/// std::invalid_argument that lists the known ones for an unknown name.
[[nodiscard]] std::unique_ptr<workload> make_workload(std::string_view name,
                                                      const workload_options& options = {});

}  // namespace evencube::workloads
