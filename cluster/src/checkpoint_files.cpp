#include <evencube/cluster/detail/checkpoint_files.hpp>

#include <array>
#include <cerrno>
#include <cstring>
#include <evencube/error.hpp>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include "fnv.hpp"

namespace evencube::detail {
namespace {

constexpr std::array<char, 8> mark{'E', 'C', 's', 'a', 'v', 'e', 'd', '1'};

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw error("a checkpoint: " + file + ": " + why);
}

void write_file(const std::string& file, std::span<const std::byte> bytes) {
  errno = 0;
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) refuse(file, std::string("cannot write: ") + std::strerror(errno));
}

message_bytes read_file(const std::string& file) {
  errno = 0;
  std::ifstream in(file, std::ios::binary | std::ios::ate);
  if (!in) refuse(file, std::string("cannot read: ") + std::strerror(errno));
  message_bytes bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!in) refuse(file, std::string("cannot read: ") + std::strerror(errno));
  return bytes;
}

checkpoint_part write_part(const std::string& file, std::span<const std::byte> bytes) {
  write_file(file, bytes);
  return {bytes.size(), fnv_1a(bytes)};
}

message_bytes read_part(const std::string& file, const checkpoint_part& expected) {
  message_bytes bytes = read_file(file);
  if (bytes.size() != expected.bytes || fnv_1a(bytes) != expected.hash) {
    refuse(file, "it is not what was written: " + std::to_string(bytes.size()) + " bytes, " +
                     std::to_string(expected.bytes) + " expected");
  }
  return bytes;
}

// Removes all parts at `path` but those of `of`: of earlier checkpoints, and of such as were not
// completed.
void remove_other_parts(const std::string& path, const checkpoint& of) noexcept {
  try {
    std::set<std::string> kept;
    for (std::size_t part = 0; part < of.parts.size(); ++part) {
      kept.insert(part_name(path, of.generation, part));
    }
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    if (folder.empty()) folder = ".";
    const std::string start = std::filesystem::path(path).filename().string() + ".";
    std::vector<std::string> others;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      const std::string name = entry.path().filename().string();
      if (!name.starts_with(start)) continue;
      const std::string numbers = name.substr(start.size());
      const std::size_t dot = numbers.find('.');
      const bool is_part = dot != std::string::npos && dot > 0 && dot + 1 < numbers.size() &&
                           numbers.find_first_not_of("0123456789.") == std::string::npos &&
                           numbers.find('.', dot + 1) == std::string::npos;
      if (is_part && !kept.contains(path.substr(0, path.size() + 1 - start.size()) + name)) {
        others.push_back(entry.path().string());
      }
    }
    std::error_code ignored;
    for (const std::string& file : others) std::filesystem::remove(file, ignored);
  } catch (...) {
    // A file that stays is of no harm.
  }
}

// Makes `of` the checkpoint at `path`. A process that is killed leaves the file at `path` as it
// was, or whole.
void write_checkpoint(const std::string& path, const checkpoint& of) {
  byte_writer out;
  out.put(mark);
  out.put(of.generation);
  out.put(of.content);
  out.put(static_cast<std::uint32_t>(of.parts.size()));
  for (const checkpoint_part& part : of.parts) out.put(part);
  message_bytes bytes = out.take();
  byte_writer sum;
  sum.put(fnv_1a(bytes));
  const message_bytes last = sum.take();
  bytes.insert(bytes.end(), last.begin(), last.end());
  const std::string made = path + ".new";
  write_file(made, bytes);
  std::error_code why;
  std::filesystem::rename(made, path, why);
  if (why) refuse(path, "cannot write: " + why.message());
}

void require_same(const std::string& path, const checkpoint& saved, const std::string& content) {
  if (saved.content == content) return;
  throw error("a checkpoint: " + path + " has " + saved.content + ", not " + content);
}

template <typename T>
std::vector<T> gathered(const T& own, const checkpoint_ranks& ranks) {
  byte_writer out;
  out.put(own);
  std::vector<T> all;
  for (const message_bytes& each : ranks.gather(out.take())) {
    all.push_back(byte_reader(each).get<T>());
  }
  return all;
}

}  // namespace

std::string part_name(const std::string& path, std::uint64_t generation, std::size_t part) {
  return path + "." + std::to_string(generation) + "." + std::to_string(part);
}

checkpoint read_checkpoint(const std::string& path) {
  std::error_code why;
  const std::filesystem::file_status found_here = std::filesystem::status(path, why);
  if (found_here.type() == std::filesystem::file_type::not_found) return {};
  if (why) refuse(path, "cannot read: " + why.message());
  if (!std::filesystem::is_regular_file(found_here)) refuse(path, "it is no file");
  const message_bytes bytes = read_file(path);
  constexpr std::size_t sum = sizeof(std::uint64_t);
  if (bytes.size() < mark.size() + sum) refuse(path, "it is no checkpoint: it is too short");
  const auto said = std::span<const std::byte>(bytes).first(bytes.size() - sum);
  byte_reader in(said);
  if (in.get<std::array<char, 8>>() != mark) refuse(path, "it is no checkpoint");
  if (byte_reader(std::span<const std::byte>(bytes).last(sum)).get<std::uint64_t>() !=
      fnv_1a(said)) {
    refuse(path, "it is not what was written");
  }
  checkpoint found;
  found.generation = in.get<std::uint64_t>();
  found.content = in.text();
  found.parts.resize(in.get<std::uint32_t>());
  for (checkpoint_part& part : found.parts) part = in.get<checkpoint_part>();
  return found;
}

std::string problem_of(const std::function<void()>& f) {
  try {
    f();
    return {};
  } catch (const std::exception& problem) {
    return problem.what();
  } catch (...) {
    return "an exception that is no std::exception";
  }
}

std::string first_problem(const std::string& own, const checkpoint_ranks& ranks) {
  byte_writer out;
  out.put(own);
  for (const message_bytes& each : ranks.gather(out.take())) {
    std::string problem = byte_reader(each).text();
    if (!problem.empty()) return problem;
  }
  return {};
}

void save_parts(const std::string& path, const std::string& content, const std::string& own_problem,
                const checkpoint_ranks& ranks, const std::function<message_bytes()>& written) {
  checkpoint now{1, content, {}};
  std::string problem = own_problem;
  if (problem.empty() && ranks.rank == 0) {
    problem = problem_of([&] {
      const checkpoint before = read_checkpoint(path);
      if (before.generation != 0) require_same(path, before, content);
      now.generation = before.generation + 1;
    });
  }
  problem = first_problem(problem, ranks);
  if (!problem.empty()) throw error(problem);
  now.generation = gathered(now.generation, ranks).front();
  const std::string own = part_name(path, now.generation, ranks.rank);
  checkpoint_part part;
  problem = first_problem(problem_of([&] { part = write_part(own, written()); }), ranks);
  if (problem.empty()) {
    now.parts = gathered(part, ranks);
    problem = first_problem(problem_of([&] {
                              if (ranks.rank == 0) write_checkpoint(path, now);
                            }),
                            ranks);
  }
  if (!problem.empty()) {
    std::error_code ignored;
    std::filesystem::remove(own, ignored);
    throw error(problem);
  }
  if (ranks.rank == 0) remove_other_parts(path, now);
}

loaded_parts load_parts(
    const std::string& path, const std::string& content, const std::string& own_problem,
    const checkpoint_ranks& ranks,
    const std::function<void(std::size_t, std::size_t, const message_bytes&)>& read) {
  checkpoint saved;
  std::string problem = own_problem;
  if (problem.empty()) {
    problem = problem_of([&] {
      saved = read_checkpoint(path);
      if (saved.generation != 0) require_same(path, saved, content);
      for (std::size_t k = ranks.rank; k < saved.parts.size(); k += ranks.size) {
        read(k, saved.parts.size(),
             read_part(part_name(path, saved.generation, k), saved.parts[k]));
      }
    });
  }
  const std::uint64_t first = gathered(saved.generation, ranks).front();
  if (problem.empty() && first != saved.generation) {
    problem = "a checkpoint: " + path + " is another file on rank " + std::to_string(ranks.rank) +
              " than on rank 0";
  }
  return {saved.generation != 0, first_problem(problem, ranks)};
}

}  // namespace evencube::detail
