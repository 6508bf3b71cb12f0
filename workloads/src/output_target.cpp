#include "output_target.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <evencube/workloads/output_file.hpp>

namespace evencube::workloads {
namespace {

constexpr int most_links = 40;  // as many as Linux follows

}  // namespace

void fail_to_write(const std::filesystem::path& file, const std::string& why) {
  throw output_error{file.string() + ": cannot write: " + why};
}

void fail_to_write(const std::filesystem::path& file, int code) {
  fail_to_write(file, std::string{std::strerror(code)});
}

std::filesystem::path real_target(const std::filesystem::path& file) {
  if (file.empty()) {
    fail_to_write(file, "the name is empty");
  }
  std::error_code problem;
  auto target = std::filesystem::absolute(file, problem);
  if (problem) {
    fail_to_write(file, problem.message());
  }
  for (int links = 0; std::filesystem::is_symlink(target, problem); ++links) {
    if (links == most_links) {
      fail_to_write(file, ELOOP);
    }
    const auto next = std::filesystem::read_symlink(target, problem);
    if (problem) {
      fail_to_write(file, problem.message());
    }
    target = target.parent_path() / next;  // `next` alone if it is absolute
  }
  target = std::filesystem::weakly_canonical(target, problem);
  if (problem) {
    fail_to_write(file, problem.message());
  }
  return target;
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  const auto first = real_target(a);
  const auto second = real_target(b);
  std::error_code absent;
  return first == second || std::filesystem::equivalent(first, second, absent);
}

}  // namespace evencube::workloads
