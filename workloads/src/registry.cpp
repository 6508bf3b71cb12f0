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

const std::vector<workload_entry>& registered_workloads() {
  static const std::vector<workload_entry> entries = {
      edges_entry(),    heat_entry(),      mandelbrot_entry(), matmul_entry(), nbody_entry(),
      pagerank_entry(), pathtrace_entry(), sort_entry(),       spin_entry(),   uts_entry(),
  };
  return entries;
}

std::unique_ptr<workload> make_workload(std::string_view name, const workload_options& options) {
  std::string known;
  for (const auto& entry : registered_workloads()) {
    if (entry.name == name) {
      return entry.make(option_values{name, entry.options, options});
    }
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  throw std::invalid_argument{"unknown workload \"" + std::string{name} + "\"; known: " + known};
}

}  // namespace evencube::workloads
