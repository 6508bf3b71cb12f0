#include "program.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <exception>
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>

namespace bench {
namespace {

// A request for help. It is not a failure, but it leaves `main_of` in the same way.
struct help_wanted : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

std::uint64_t whole_number(const std::string& name, const std::string& text) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) {
    throw std::invalid_argument("--" + name + " " + text + ": must be a whole number >= 0");
  }
  return value;
}

unsigned small_number(const std::string& name, const std::string& text, unsigned least) {
  const std::uint64_t value = whole_number(name, text);
  if (value < least || value > 1000000) {
    throw std::invalid_argument("--" + name + " " + text + ": must be between " +
                                std::to_string(least) + " and 1000000");
  }
  return static_cast<unsigned>(value);
}

std::vector<setting> joined(const std::vector<setting>& a, const std::vector<setting>& b) {
  std::vector<setting> all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

std::string usage(const workload& what, const engine& by) {
  std::ostringstream text;
  text << what.name << " on " << by.name << "\n"
       << "  --workers N        how many workers (1)\n"
       << "  --warm-up N        runs that do not count (1)\n"
       << "  --repetitions N    runs that count (1)\n"
       << "  --neighbour CPU    measure while a busy process runs on that CPU\n"
       << "  --tiny             small sizes: does it work?\n";
  for (const setting& each : joined(what.settings, by.settings)) {
    text << "  --" << each.name << " (" << each.usual << ")  " << each.meaning;
    for (const std::string& word : each.words)
      text << (&word == &each.words[0] ? ": " : ", ") << word;
    text << "\n";
  }
  return text.str();
}

// The most memory that this process has held. ru_maxrss is not used, because it starts at the
// parent's memory.
std::uint64_t peak_kibibytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) return std::stoull(line.substr(6));
  }
  return 0;
}

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string listed(const std::vector<double>& values) {
  std::ostringstream out;
  out.precision(9);
  for (std::size_t i = 0; i < values.size(); ++i) out << (i == 0 ? "[" : ", ") << values[i];
  return values.empty() ? "[]" : out.str() + "]";
}

const char* compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "g++ " __VERSION__;
#endif
}

}  // namespace

double timed(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

program::program(workload what, engine by, int argc, char** argv)
    : workload_(std::move(what)), engine_(std::move(by)) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool tiny = std::ranges::count(words, "--tiny") > 0;
  for (const setting& each : joined(workload_.settings, engine_.settings)) {
    values_[each.name] = tiny ? each.tiny : each.usual;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--tiny") continue;
    if (words[i] == "--help") throw help_wanted(usage(workload_, engine_));
    if (!words[i].starts_with("--")) {
      throw std::invalid_argument("\"" + words[i] + "\" is not an option\n" +
                                  usage(workload_, engine_));
    }
    if (i + 1 == words.size()) throw std::invalid_argument(words[i] + " needs a value");
    take(std::string_view(words[i]).substr(2), words[i + 1]);
    ++i;
  }
}

void program::take(std::string_view option, const std::string& value) {
  if (option == "workers") {
    workers_ = small_number("workers", value, 1);
  } else if (option == "warm-up") {
    warm_up_ = small_number("warm-up", value, 0);
  } else if (option == "repetitions") {
    repetitions_ = small_number("repetitions", value, 1);
  } else if (option == "neighbour") {
    neighbour_ = busy_neighbour(small_number("neighbour", value, 0));
  } else {
    const std::vector<setting> all = joined(workload_.settings, engine_.settings);
    const auto known = std::ranges::find(all, option, &setting::name);
    if (known == all.end()) {
      throw std::invalid_argument("--" + std::string(option) + " is unknown\n" +
                                  usage(workload_, engine_));
    }
    if (known->words.empty()) {
      static_cast<void>(whole_number(known->name, value));
    } else if (std::ranges::count(known->words, value) == 0) {
      throw std::invalid_argument("--" + known->name + " " + value + " is unknown\n" +
                                  usage(workload_, engine_));
    }
    values_[known->name] = value;
  }
}

std::uint64_t program::number(const std::string& name) const {
  return whole_number(name, values_.at(name));
}

const std::string& program::word(const std::string& name) const { return values_.at(name); }

int program::measure(const trial& what) {
  std::vector<double> seconds;
  std::string wrong;
  for (unsigned run = 0; run < warm_up_ + repetitions_ && wrong.empty(); ++run) {
    what.prepare();
    const double taken = what.run();
    wrong = what.verify();
    if (run >= warm_up_) seconds.push_back(taken);
  }
  print(what, seconds, wrong.empty());
  if (wrong.empty()) return 0;
  std::cerr << workload_.name << " on " << engine_.name << ", " << workers_ << " workers: " << wrong
            << "\n";
  return 1;
}

void program::print(const trial& what, const std::vector<double>& seconds, bool right) const {
  std::ostringstream out;
  out.precision(12);
  out << "{\"workload\": " << quoted(workload_.name) << ", \"engine\": " << quoted(engine_.name)
      << ", \"workers\": " << workers_ << ", \"settings\": {";
  bool first = true;
  for (const auto& [name, value] : values_) {
    out << (first ? "" : ", ") << quoted(name) << ": " << quoted(value);
    first = false;
  }
  out << "}, \"unit\": " << quoted(workload_.unit) << ", \"units\": " << what.units
      << ", \"seconds\": " << listed(seconds);
  if (what.work_seconds > 0.0) {
    std::vector<double> efficiency;
    efficiency.reserve(seconds.size());
    for (const double taken : seconds) efficiency.push_back(what.work_seconds / (taken * workers_));
    out << ", \"efficiency\": " << listed(efficiency);
  }
  if (what.details) out << ", " << what.details();
  out << ", \"peak_kibibytes\": " << peak_kibibytes() << ", \"compiler\": " << quoted(compiler())
      << ", \"flags\": " << quoted(EVENCUBE_BENCH_FLAGS)
      << ", \"verified\": " << (right ? "true" : "false") << "}";
  std::cout << out.str() << std::endl;
}

int main_of(const workload& what, const engine& by, int argc, char** argv,
            const std::function<int(program&)>& body) {
  try {
    std::optional<program> run;
    try {
      run.emplace(what, by, argc, argv);
    } catch (const help_wanted& help) {
      std::cout << help.what();
      return 0;
    } catch (const std::invalid_argument& error) {
      std::cerr << error.what() << "\n";
      return 2;
    }
    return body(*run);
  } catch (const std::exception& error) {
    std::cerr << what.name << " on " << by.name << ": " << error.what() << "\n";
    return 1;
  }
}

}  // namespace bench
