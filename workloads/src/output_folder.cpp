#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

#include <evencube/workloads/output_file.hpp>

#include "drafts.hpp"
#include "output_target.hpp"

namespace evencube::workloads {
namespace {

namespace fs = std::filesystem;

/// Makes the draft's folder.
void make_folder(const fs::path& shown, draft& made) {
  while (::mkdir(made.path().c_str(), 0777) != 0) {
    if (errno != EEXIST) {
      const int problem = errno;
      made.forget();
      fail_to_write(shown, problem);
    }
    made.rename();
  }
}

/// Two folders change places; where the file system cannot do that in one step, in three.
void exchange(const fs::path& shown, const fs::path& made, const fs::path& target) {
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
    return;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    fail_to_write(shown, errno);
  }
  const auto aside = fs::path{made} += ".old";
  if (::rename(target.c_str(), aside.c_str()) != 0) {
    fail_to_write(shown, errno);
  }
  if (::rename(made.c_str(), target.c_str()) != 0) {
    const int problem = errno;
    ::rename(aside.c_str(), target.c_str());
    fail_to_write(shown, problem);
  }
  if (::rename(aside.c_str(), made.c_str()) != 0) {
    fail_to_write(shown, "what it held before is in " + aside.string() + " now");
  }
}

/// Names in the old folder that do not belong to the results.
std::vector<std::string> names_of_others(const fs::path& shown, const fs::path& folder,
                                         const std::map<std::string, std::string>& files,
                                         std::span<const std::string_view> endings) {
  std::vector<std::string> names;
  try {
    for (const auto& entry : fs::directory_iterator{folder}) {
      const auto name = entry.path().filename().string();
      const bool ours = entry.is_regular_file() &&
                        std::ranges::any_of(endings, [&](auto end) { return name.ends_with(end); });
      if (!ours && !files.contains(name)) {
        names.push_back(name);
      }
    }
  } catch (const fs::filesystem_error& problem) {
    fail_to_write(shown, problem.code().message());
  }
  return names;
}

/// Moves entries from one folder to another: all of them, or none where one cannot be moved, whose
/// reason it returns.
std::error_code move_all(const std::vector<std::string>& names, const fs::path& from,
                         const fs::path& to) {
  std::error_code problem;
  for (std::size_t i = 0; i < names.size(); ++i) {
    fs::rename(from / names[i], to / names[i], problem);
    if (problem) {
      std::error_code ignored;
      while (i-- > 0) fs::rename(to / names[i], from / names[i], ignored);
      break;
    }
  }
  return problem;
}

/// Removes a folder of which nobody has need any more; a second time where something came between.
void remove_folder(const fs::path& shown, const fs::path& folder) {
  std::error_code problem;
  fs::remove_all(folder, problem);
  if (problem) {
    fs::remove_all(folder, problem);
  }
  if (problem) {
    fail_to_write(shown, "it is written, but " + folder.string() +
                             " is left beside it: " + problem.message());
  }
}

}  // namespace

void replace_folder(const fs::path& folder, const std::map<std::string, std::string>& files,
                    std::span<const std::string_view> endings) {
  const auto target = real_target(folder);
  struct stat old = {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  if (replaces && !S_ISDIR(old.st_mode)) {
    fail_to_write(folder, ENOTDIR);
  }
  draft made{target};
  make_folder(folder, made);
  try {
    for (const auto& [name, text] : files) {
      replace_file(made.path() / name, bytes_of(text));
    }
  } catch (const output_error& problem) {
    // The name of the draft says nothing to anybody.
    const std::string why = problem.what();
    const auto reason = why.find(": cannot write: ");
    fail_to_write(folder, reason == std::string::npos ? why : why.substr(reason + 16));
  }
  if (!replaces) {
    if (::rename(made.path().c_str(), target.c_str()) != 0) {
      fail_to_write(folder, errno);
    }
    made.forget();
    return;
  }
  if (::chmod(made.path().c_str(), old.st_mode & 07777) != 0) {
    fail_to_write(folder, errno);
  }
  const auto others = names_of_others(folder, target, files, endings);
  // From here on a signal must not discard what stands under the draft's name: the old folder, with
  // what is not of our making.
  const auto other = made.path();
  made.forget();
  std::error_code ignored;
  try {
    exchange(folder, other, target);
  } catch (const output_error&) {
    fs::remove_all(other, ignored);
    throw;
  }
  if (const auto problem = move_all(others, other, target)) {
    exchange(folder, other, target);  // where that fails too, all of the old is in `other`
    fs::remove_all(other, ignored);
    fail_to_write(folder, problem.message());
  }
  remove_folder(folder, other);
}

}  // namespace evencube::workloads
