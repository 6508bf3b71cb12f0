#include <stdexcept>

#include <evencube/workloads/workload.hpp>

#include "workloads.hpp"

namespace evencube::workloads {

void workload::write_output(const std::filesystem::path& file) const {
  throw std::logic_error{std::string{name()} + " has no output to write to " + file.string()};
}

const std::vector<workload_entry>& registered_workloads() {
  static const std::vector<workload_entry> entries = {
      {"edges", "Sobel edges of a picture, and its straight lines by a Hough transform",
       "the made-up picture has its --size in rows for every worker, and stays as wide",
       make_edges_workload},
      {"matmul", "product of two square matrices, a task per tile",
       "the order grows with the cube root of the workers, so that each multiplies as much",
       make_matmul_workload},
      {"spin", "tasks that spin until their time has passed on the clock",
       "there are --size tasks for every worker", make_spin_workload},
  };
  return entries;
}

std::unique_ptr<workload> make_workload(std::string_view name, const workload_options& options) {
  if (options.times < 1 || options.times > workload_options::max_times) {
    throw std::invalid_argument{"the work of " + std::to_string(options.times) +
                                " workers is not within 1 .. " +
                                std::to_string(workload_options::max_times)};
  }
  std::string known;
  for (const auto& entry : registered_workloads()) {
    if (entry.name == name) {
      return entry.make(options);
    }
    known.append(known.empty() ? "" : ", ").append(entry.name);
  }
  throw std::invalid_argument{"unknown workload \"" + std::string{name} + "\"; known: " + known};
}

}  // namespace evencube::workloads
