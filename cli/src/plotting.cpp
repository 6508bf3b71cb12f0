#include "plotting.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <vector>

extern char** environ;

namespace evencube::cli {
namespace {

constexpr int status_without_matplotlib = 3;  // as the script ends
constexpr int status_without_program = 127;

/// The absolute entries of PATH: of the others, the current folder is one.
std::vector<std::filesystem::path> absolute_folders() {
  std::vector<std::filesystem::path> folders;
  const char* const path = std::getenv("PATH");
  std::istringstream entries{path == nullptr ? "" : path};
  for (std::string entry; std::getline(entries, entry, ':');) {
    if (entry.starts_with('/')) folders.emplace_back(entry);
  }
  return folders;
}

/// The absolute path of the Python that is called so, where one is found. A name with a slash is a
/// path already.
std::optional<std::string> find_python(const std::string& name) {
  if (name.find('/') != std::string::npos) return std::filesystem::absolute(name).string();
  for (const auto& folder : absolute_folders()) {
    const auto file = folder / name;
    if (::access(file.c_str(), X_OK) == 0) return file.string();
  }
  return std::nullopt;
}

/// The environment that Python is started with: nothing in it can name code to load.
std::vector<std::string> clean_environment() {
  std::string path = "PATH=";
  for (const auto& folder : absolute_folders()) {
    path += (path.ends_with('=') ? "" : ":") + folder.string();
  }
  std::vector<std::string> kept{path};
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string variable = *one;
    for (const char* const name : {"HOME=", "LANG=", "LC_", "TMPDIR=", "MPLCONFIGDIR="}) {
      if (variable.starts_with(name)) kept.push_back(variable);
    }
  }
  return kept;
}

/// As posix_spawn() wants them; the words must outlive it.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

int run_python(const std::string& python, std::string_view script,
               std::span<const std::filesystem::path> directories) {
  // Isolated: modules come from the installation alone. And not in the current folder, where
  // matplotlib would look for its settings.
  std::vector<std::string> words{python, "-I", "-B", "-c", std::string{script}};
  for (const auto& directory : directories) words.push_back(absolute(directory).string());
  std::vector<std::string> environment = clean_environment();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addchdir_np(&actions, "/");
  pid_t child = 0;
  const int problem = posix_spawn(&child, python.c_str(), &actions, nullptr,
                                  pointers_to(words).data(), pointers_to(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) return problem == ENOENT ? status_without_program : -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return -1;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace

std::string draw_plots(std::string_view script,
                       std::span<const std::filesystem::path> directories) {
  std::vector<std::string> pythons{"python3", "/usr/bin/python3"};
  if (const char* chosen = std::getenv("EVENCUBE_PYTHON")) pythons = {chosen};
  const char* outcome = "not drawn: no python3 was found";
  for (const std::string& name : pythons) {
    const auto python = find_python(name);
    switch (python ? run_python(*python, script, directories) : status_without_program) {
      case 0:
        return "drawn";
      case status_without_program:
        break;
      case status_without_matplotlib:
        outcome =
            "not drawn: matplotlib is not installed for python3 (user site-packages and PYTHONPATH "
            "are not searched)";
        break;
      default:
        return "not drawn: the plotting script failed";
    }
  }
  return outcome;
}

}  // namespace evencube::cli
