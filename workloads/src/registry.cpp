#include <limits>
#include <stdexcept>

#include <evencube/workloads/carried.hpp>
#include <evencube/workloads/workload.hpp>

#include "workloads.hpp"

namespace evencube::workloads {

void workload::write_output(const std::filesystem::path& file) const {
  throw std::logic_error{std::string{name()} + " has no output to write to " + file.string()};
}

std::unique_ptr<carried_run> workload::run_carried() {
  throw std::logic_error{std::string{name()} + " has no tasks that carry what they work on"};
}

void carried_function::add(task_bytes& /*sum*/, std::span<const std::byte> /*result*/) const {
  throw std::logic_error{"these tasks spawn none"};
}

workload_option seed_option(std::int64_t usual) {
  return {"seed", "of the generated input",
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

/// The names of those that have what `has` tells.
template <typename Has>
std::string names_of(Has has) {
  std::string names;
  for (const auto& entry : registered_workloads()) {
    if (has(entry)) names += (names.empty() ? "" : ", ") + entry.name;
  }
  return names;
}

const workload_entry& entry_of(std::string_view name) {
  for (const auto& entry : registered_workloads()) {
    if (entry.name == name) return entry;
  }
  throw std::invalid_argument{"unknown workload \"" + std::string{name} +
                              "\"; known: " + names_of([](const auto&) { return true; })};
}

}  // namespace

std::unique_ptr<workload> make_workload(std::string_view name, const workload_options& options) {
  if (options.times < 1 || options.times > workload_options::max_times) {
    throw std::invalid_argument{"the work of " + std::to_string(options.times) +
                                " workers is not within 1 .. " +
                                std::to_string(workload_options::max_times)};
  }
  const auto& entry = entry_of(name);
  if (options.times > 1 && entry.growth.empty()) {
    throw std::invalid_argument{entry.name + " does not grow with the workers; these do: " +
                                names_of([](const auto& one) { return !one.growth.empty(); })};
  }
  return entry.make(option_values{name, entry.options, options});
}

std::unique_ptr<carried_function> make_carried_function(std::string_view name,
                                                        const workload_options& options,
                                                        unsigned threads) {
  const auto& entry = entry_of(name);
  if (!entry.carried) {
    throw std::invalid_argument{
        "the tasks of " + entry.name +
        " do not carry what they work on, and share its memory; those of these do: " +
        names_of([](const auto& one) { return static_cast<bool>(one.carried); })};
  }
  return entry.carried(option_values{name, entry.options, options}, threads);
}

}  // namespace evencube::workloads
