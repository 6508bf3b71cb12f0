#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "neighbour.hpp"

namespace bench {

/// A value that the command line can set: `--name value`.
struct setting {
  std::string name;
  /// What it is unless given.
  std::string usual;
  /// What it is with `--tiny`: for a check that the program works, not for a measurement.
  std::string tiny;
  std::string meaning;
  /// The values a word may have; empty for a whole number >= 0.
  std::vector<std::string> words = {};
};

/// A workload: the same for all the engines that run it.
struct workload {
  std::string name;
  /// What is counted, so that times can be stated per piece: "call", "node", "task".
  std::string unit;
  std::vector<setting> settings;
};

/// A way to run it: "serial", "evencube", "tbb", "openmp".
struct engine {
  std::string name;
  std::vector<setting> settings = {};
};

/// One measurement, repeated.
struct trial {
  /// How many `workload::unit`s one run does.
  double units = 1.0;
  /// Before every run, not measured.
  std::function<void()> prepare = [] {};
  /// One run. Returns the seconds that count: see `timed`.
  std::function<double()> run;
  /// After every run, not measured: empty if its result is right, else what is wrong with it.
  std::function<std::string()> verify;
  /// If > 0: seconds of work in one run, however it is shared out; then the efficiency, work /
  /// (seconds x workers), is reported too.
  double work_seconds = 0.0;
  /// After all runs: further members of the JSON object, as text; empty if there are none.
  std::function<std::string()> details = {};
};

/// Seconds that `f()` takes on the wall clock.
[[nodiscard]] double timed(const std::function<void()>& f);

/// One benchmark program: reads the command line, repeats a trial, prints one JSON object.
class program {
 public:
  /// Throws std::invalid_argument for a command line that it does not understand.
  program(workload what, engine by, int argc, char** argv);

  [[nodiscard]] unsigned workers() const noexcept { return workers_; }
  [[nodiscard]] std::uint64_t number(const std::string& name) const;
  [[nodiscard]] const std::string& word(const std::string& name) const;

  /// Warms up, runs, verifies every run and prints. Returns the exit status: 1 if any result was
  /// wrong, which is then also said on the standard error stream.
  int measure(const trial& what);

 private:
  void take(std::string_view option, const std::string& value);
  void print(const trial& what, const std::vector<double>& seconds, bool right) const;

  workload workload_;
  engine engine_;
  std::map<std::string, std::string> values_;
  unsigned workers_ = 1;
  unsigned warm_up_ = 1;
  unsigned repetitions_ = 1;
  busy_neighbour neighbour_;
};

/// The main function of a benchmark program: `body` sets up its engine and returns what
/// `program::measure` returns. Exit status 2, and a message, for a command line that is not
/// understood; 1 for a run that failed.
int main_of(const workload& what, const engine& by, int argc, char** argv,
            const std::function<int(program&)>& body);

}  // namespace bench
