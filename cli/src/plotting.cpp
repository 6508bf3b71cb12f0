#include "plotting.hpp"

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string>
#include <vector>

extern char** environ;

namespace evencube::cli {
namespace {

constexpr int status_without_matplotlib = 3;  // as the script ends
constexpr int status_without_program = 127;

// A file without a name that holds the script: read by Python as its standard input.
int script_file(std::string_view script) {
  const int file = memfd_create("evencube-plot", MFD_CLOEXEC);
  if (file < 0) return -1;
  while (!script.empty()) {
    const ssize_t written = write(file, script.data(), script.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      close(file);
      return -1;
    }
    script.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(file, 0, SEEK_SET);
  return file;
}

int run_python(const std::string& python, std::string_view script,
               std::span<const std::filesystem::path> directories) {
  std::vector<std::string> words{python, "-"};
  for (const auto& directory : directories) words.push_back(directory.string());
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const int input = script_file(script);
  if (input < 0) return -1;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO);
  pid_t child = 0;
  const int problem =
      posix_spawnp(&child, python.c_str(), &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(input);
  if (problem != 0) return problem == ENOENT ? status_without_program : -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

plot_outcome draw_plots(std::string_view script,
                        std::span<const std::filesystem::path> directories) {
  std::vector<std::string> pythons{"python3", "/usr/bin/python3"};
  if (const char* chosen = std::getenv("EVENCUBE_PYTHON")) pythons = {chosen};
  auto outcome = plot_outcome::no_python;
  for (const std::string& python : pythons) {
    switch (run_python(python, script, directories)) {
      case 0:
        return plot_outcome::drawn;
      case status_without_program:
        break;
      case status_without_matplotlib:
        outcome = plot_outcome::no_matplotlib;
        break;
      default:
        return plot_outcome::failed;
    }
  }
  return outcome;
}

}  // namespace evencube::cli
