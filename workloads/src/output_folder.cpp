#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <system_error>

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

/// Moves what does not belong to the results from the old folder into the new one.
void keep_the_rest(const fs::path& shown, const fs::path& old, const fs::path& target,
                   const std::map<std::string, std::string>& files,
                   std::span<const std::string_view> endings) {
  std::error_code problem;
  for (const auto& entry : fs::directory_iterator{old, problem}) {
    const auto name = entry.path().filename().string();
    const bool ours = entry.is_regular_file(problem) &&
                      std::ranges::any_of(endings, [&](auto end) { return name.ends_with(end); });
    if (ours || files.contains(name)) {
      continue;
    }
    fs::rename(entry.path(), target / name, problem);
    if (problem) {
      fail_to_write(shown, name + " is in " + old.string() + " now: " + problem.message());
    }
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
  // From here on a signal must not discard what stands under the draft's name: the old folder, with
  // what is not of our making.
  const auto other = made.path();
  made.forget();
  std::error_code problem;
  try {
    exchange(folder, other, target);
  } catch (const output_error&) {
    fs::remove_all(other, problem);
    throw;
  }
  keep_the_rest(folder, other, target, files, endings);
  fs::remove_all(other, problem);
}

}  // namespace evencube::workloads
