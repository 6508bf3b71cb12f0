#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

extern char** environ;

namespace evencube::cli::testing {

/// What a finished program left.
struct outcome {
  int status = -1;  ///< Exit code, or 128 + the signal that ended it.
  std::string out;
  std::string err;

  [[nodiscard]] nlohmann::json as_json() const { return nlohmann::json::parse(out); }
};

/// A file without a name that a program can write to.
class capture {
 public:
  capture() : file_{std::tmpfile()} {
    if (file_ == nullptr) {
      throw std::runtime_error{"cannot make a temporary file"};
    }
  }
  capture(const capture&) = delete;
  capture& operator=(const capture&) = delete;
  ~capture() { std::fclose(file_); }

  [[nodiscard]] int descriptor() const { return ::fileno(file_); }

  [[nodiscard]] std::string text() const {
    std::rewind(file_);
    std::string all;
    for (int byte = std::fgetc(file_); byte != EOF; byte = std::fgetc(file_)) {
      all.push_back(static_cast<char>(byte));
    }
    return all;
  }

 private:
  std::FILE* file_;
};

/// Runs a program to its end without a shell in between.
inline outcome run(const std::string& program, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program);
  std::vector<char*> pointers;
  for (auto& argument : arguments) {
    pointers.push_back(argument.data());
  }
  pointers.push_back(nullptr);
  const capture out;
  const capture err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.descriptor(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.descriptor(), STDERR_FILENO);
  pid_t child = 0;
  const int problem =
      ::posix_spawn(&child, program.c_str(), &actions, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    throw std::runtime_error{"cannot start " + program + ": " + std::strerror(problem)};
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) {
      throw std::runtime_error{"cannot wait for " + program};
    }
  }
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), out.text(), err.text()};
}

/// The program under test.
inline outcome evencube(std::vector<std::string> arguments) {
  return run(EVENCUBE_PROGRAM, std::move(arguments));
}

/// A line of shell in which "$0" is the program under test.
inline outcome shell(const std::string& line) {
  return run("/bin/sh", {"-c", line, EVENCUBE_PROGRAM});
}

/// For words() and for a shell: one word, though there be spaces in it.
inline std::string quoted(const std::filesystem::path& path) { return "'" + path.string() + "'"; }

/// Of a line, at spaces that are not between single quotes.
inline std::vector<std::string> words(const std::string& line) {
  std::vector<std::string> result(1);
  bool within = false;
  for (const char letter : line) {
    if (letter == '\'') {
      within = !within;
    } else if (letter != ' ' || within) {
      result.back().push_back(letter);
    } else if (!result.back().empty()) {
      result.emplace_back();
    }
  }
  return result;
}

inline std::set<std::string> keys(const nlohmann::json& object) {
  std::set<std::string> names;
  for (const auto& [key, value] : object.items()) {
    names.insert(key);
  }
  return names;
}

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace evencube::cli::testing
