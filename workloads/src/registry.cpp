#include <limits>
#include <stdexcept>

#include <evencube/workloads/workload.hpp>

#include "workloads.hpp"

namespace evencube::workloads {

void workload::write_output(const std::filesystem::path& file) const {
  throw std::logic_error{std::string{name()} + " has no output to write to " + file.string()};
}

workload_option seed_option(std::int64_t usual) {
  return {"seed", "of the made-up input",
          whole_option{usual, 0, std::numeric_limits<std::int64_t>::max()}};
}

std::uint64_t grown_within(std::uint64_t size, std::uint32_t times, std::uint64_t grown,
                           std::uint64_t most) {
  if (grown > most) {
    throw std::invalid_argument{"--size " + std::to_string(size) + " for each of " +
                                std::to_string(times) + " workers grows to " +
                                std::to_string(grown) + ", more than the " + std::to_string(most) +
                                " that there may be: a smaller --size or fewer workers"};
  }
  return grown;
}

const std::vector<workload_entry>& registered_workloads() {
  static const std::vector<workload_entry> entries = {
      edges_entry(),    heat_entry(),      mandelbrot_entry(), matmul_entry(), nbody_entry(),
      pagerank_entry(), pathtrace_entry(), sort_entry(),       spin_entry(),   uts_entry(),
  };
  return entries;
}

namespace {

std::string growing() {
  std::string names;
  for (const auto& entry : registered_workloads()) {
    if (!entry.growth.empty()) names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

}  // namespace

std::unique_ptr<workload> make_workload(std::string_view name, const workload_options& options) {
  if (options.times < 1 || options.times > workload_options::max_times) {
    throw std::invalid_argument{"the work of " + std::to_string(options.times) +
                                " workers is not within 1 .. " +
                                std::to_string(workload_options::max_times)};
  }
  std::string known;
  for (const auto& entry : registered_workloads()) {
    if (entry.name == name) {
      if (options.times > 1 && entry.growth.empty()) {
        throw std::invalid_argument{entry.name +
                                    " does not grow with the workers; these do: " + growing()};
      }
      return entry.make(option_values{name, entry.options, options});
    }
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  throw std::invalid_argument{"unknown workload \"" + std::string{name} + "\"; known: " + known};
}

}  // namespace evencube::workloads
