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

/// Makes the draft's folder; the system's reason where it cannot, else 0.
int make_folder(draft& made) {
  while (::mkdir(made.path().c_str(), 0777) != 0) {
    if (errno != EEXIST) {
      const int problem = errno;
      made.forget();
      return problem;
    }
    made.rename();
  }
  return 0;
}

/// Two folders change places; where the file system cannot do that in one step, in three. The
/// system's reason where nothing has changed, else 0.
int exchange(const fs::path& shown, const fs::path& made, const fs::path& target) {
  if (::renameat2(AT_FDCWD, made.c_str(), AT_FDCWD, target.c_str(), RENAME_EXCHANGE) == 0) {
    return 0;
  }
  if (errno != EINVAL && errno != ENOSYS) {
    return errno;
  }
  const auto aside = fs::path{made} += ".old";
  if (::rename(target.c_str(), aside.c_str()) != 0) {
    return errno;
  }
  if (::rename(made.c_str(), target.c_str()) != 0) {
    const int problem = errno;
    ::rename(aside.c_str(), target.c_str());
    return problem;
  }
  if (::rename(aside.c_str(), made.c_str()) != 0) {
    fail_to_write(shown, "what it held before is in " + aside.string() + " now");
  }
  return 0;
}

/// Of a folder that is mounted, or beside which nothing may be put.
bool must_stay(int problem) {
  return problem == EBUSY || problem == EXDEV || problem == EACCES || problem == EPERM ||
         problem == EROFS;
}

/// Who stands in a folder goes on standing in it when another one has taken its name.
bool is_current_folder(const fs::path& folder) {
  std::error_code unknown;
  return fs::equivalent(folder, fs::current_path(unknown), unknown);
}

using texts = std::map<std::string, std::string>;
using name_endings = std::span<const std::string_view>;

/// What stands in the old folder under names that the new results do not have.
struct old_names {
  std::vector<std::string> ours;    ///< of earlier results
  std::vector<std::string> others;  ///< not of our making
};

old_names names_in(const fs::path& shown, const fs::path& folder, const texts& files,
                   name_endings endings) {
  old_names found;
  try {
    for (const auto& entry : fs::directory_iterator{folder}) {
      const auto name = entry.path().filename().string();
      std::error_code unknown;  // of a link that leads nowhere, which is not of our making
      if (files.contains(name)) {
        if (entry.is_directory(unknown)) fail_to_write(shown, name + " in it is a folder");
        continue;
      }
      const bool ours = entry.is_regular_file(unknown) &&
                        std::ranges::any_of(endings, [&](auto end) { return name.ends_with(end); });
      (ours ? found.ours : found.others).push_back(name);
    }
  } catch (const fs::filesystem_error& problem) {
    fail_to_write(shown, problem.code().message());
  }
  return found;
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

void write_into(const draft& made, const fs::path& shown, const texts& files) {
  try {
    for (const auto& [name, text] : files) {
      replace_file(made.path() / name, bytes_of(text));
    }
  } catch (const output_error& problem) {
    // The name of the draft says nothing to anybody.
    const std::string why = problem.what();
    const auto reason = why.find(": cannot write: ");
    fail_to_write(shown, reason == std::string::npos ? why : why.substr(reason + 16));
  }
}

/// File by file, when all of them are on the disk.
void replace_in_place(const fs::path& shown, const fs::path& target, const texts& files,
                      name_endings endings) {
  const auto old = names_in(shown, target, files, endings);
  draft made{target / "results"};
  if (const int problem = make_folder(made)) fail_to_write(shown, problem);
  write_into(made, shown, files);
  for (const auto& [name, text] : files) {
    if (::rename((made.path() / name).c_str(), (target / name).c_str()) != 0) {
      fail_to_write(shown, errno);
    }
  }
  for (const auto& name : old.ours) {
    if (::unlink((target / name).c_str()) != 0 && errno != ENOENT) fail_to_write(shown, errno);
  }
}

/// False where the folder has to stay the one that it is; nothing has changed then.
bool replace_as_a_whole(const fs::path& shown, const fs::path& target, const texts& files,
                        name_endings endings, bool replaces) {
  draft made{target};
  if (const int problem = make_folder(made)) {
    if (replaces && must_stay(problem)) return false;
    fail_to_write(shown, problem);
  }
  write_into(made, shown, files);
  if (!replaces) {
    if (::rename(made.path().c_str(), target.c_str()) == 0) {
      made.forget();
      return true;
    }
    // Another program may have made it meanwhile.
    if (errno != ENOTEMPTY && errno != EEXIST) fail_to_write(shown, errno);
  }
  struct stat old = {};
  if (::stat(target.c_str(), &old) != 0 || ::chmod(made.path().c_str(), old.st_mode & 07777) != 0) {
    fail_to_write(shown, errno);
  }
  static_cast<void>(names_in(shown, target, files, endings));  // refuses what cannot be replaced
  // From here on a signal must not discard what stands under the draft's name: the old folder, with
  // what is not of our making.
  const auto other = made.path();
  made.forget();
  std::error_code ignored;
  if (const int problem = exchange(shown, other, target)) {
    fs::remove_all(other, ignored);
    if (must_stay(problem)) return false;
    fail_to_write(shown, problem);
  }
  // Where that fails too, all of the old is in `other`.
  const auto take_back = [&] {
    if (const int stuck = exchange(shown, other, target)) fail_to_write(shown, stuck);
    fs::remove_all(other, ignored);
  };
  // Not before, for something may have come into the old folder until then.
  old_names old_ones;
  try {
    old_ones = names_in(shown, other, files, endings);
  } catch (const output_error&) {
    take_back();
    throw;
  }
  if (const auto problem = move_all(old_ones.others, other, target)) {
    take_back();
    fail_to_write(shown, problem.message());
  }
  remove_folder(shown, other);
  return true;
}

}  // namespace

results_folder::results_folder(const fs::path& folder, bool with_parents) {
  std::error_code unknown;
  for (auto one = fs::absolute(folder, unknown);
       !one.empty() && fs::symlink_status(one, unknown).type() == fs::file_type::not_found;
       one = one.parent_path()) {
    made_.push_back(one);
  }
  std::error_code problem;
  with_parents ? fs::create_directories(folder, problem) : fs::create_directory(folder, problem);
  if (!fs::is_directory(folder, unknown)) {
    remove_empty();
    throw output_error{folder.string() + ": cannot make the folder: " +
                       (problem ? problem.message() : "it is a file")};
  }
}

void results_folder::remove_empty() noexcept {
  for (const auto& one : made_) ::rmdir(one.c_str());
}

void replace_folder(const fs::path& folder, const texts& files, name_endings endings) {
  const auto target = real_target(folder);
  struct stat old = {};
  const bool replaces = ::stat(target.c_str(), &old) == 0;
  if (replaces && !S_ISDIR(old.st_mode)) {
    fail_to_write(folder, ENOTDIR);
  }
  if ((replaces && is_current_folder(target)) ||
      !replace_as_a_whole(folder, target, files, endings, replaces)) {
    replace_in_place(folder, target, files, endings);
  }
}

}  // namespace evencube::workloads
