#include <hwloc.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "machine/affinity.hpp"
#include "machine/inventory.hpp"
#include "platform/platform.hpp"

namespace evencube::detail {
namespace {

struct destroy_topology {
  void operator()(hwloc_topology_t topology) const noexcept { hwloc_topology_destroy(topology); }
};
using topology_pointer = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, destroy_topology>;

bool describes_another_machine(const machine_options& options) {
  return !options.synthetic.empty() || !options.xml.empty();
}

/// True if the levels of a synthetic description are valid. Attached objects, in square brackets,
/// are blanked out first: hwloc (2.9) leaks the memory of attached objects when it refuses the
/// levels, so the levels are tried alone.
bool levels_in_order(std::string text) {
  for (std::size_t at = 0; (at = text.find_first_of("([", at)) != std::string::npos;) {
    const bool attached = text[at] == '[';
    const std::size_t end = text.find(attached ? ']' : ')', at);
    if (end == std::string::npos) return false;
    if (attached) text.replace(at, end + 1 - at, end + 1 - at, ' ');
    at = end;
  }
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return false;
  const topology_pointer topology{raw};
  return hwloc_topology_set_synthetic(raw, text.c_str()) == 0;
}

/// Without `asks_units`, only the operating system is asked about this machine. hwloc would also
/// run a thread on each unit and ask the unit itself, which takes as long again as everything else.
topology_pointer load_topology(const machine_options& options, bool asks_units,
                               std::string& reason) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    reason = "hwloc could not be initialised";
    return nullptr;
  }
  topology_pointer topology{raw};
  if (!options.synthetic.empty()) {
    if (!levels_in_order(options.synthetic) ||
        hwloc_topology_set_synthetic(raw, options.synthetic.c_str()) != 0) {
      reason = "not a synthetic description that hwloc understands";
      return nullptr;
    }
  } else if (!options.xml.empty()) {
    if (hwloc_topology_set_xml(raw, options.xml.c_str()) != 0) {
      reason = "not an XML topology that hwloc can read";
      return nullptr;
    }
  } else {
    // Without the first flag hwloc honours the control group's CPU set but not the affinity mask;
    // the second is what the first demands and overrides a topology named in the environment.
    unsigned long flags = HWLOC_TOPOLOGY_FLAG_IS_THISSYSTEM;
#if HWLOC_API_VERSION >= 0x00020500
    flags |= HWLOC_TOPOLOGY_FLAG_RESTRICT_TO_CPUBINDING;
#endif
    if (hwloc_topology_set_flags(raw, flags) != 0) {
      reason = "hwloc refuses to honour the affinity mask";
      return nullptr;
    }
#if HWLOC_API_VERSION >= 0x00020100
    if (!asks_units) {
      hwloc_topology_set_components(raw, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
    }
#endif
  }
  if (hwloc_topology_load(raw) != 0) {
    reason = std::string("hwloc could not load the topology: ") + std::strerror(errno);
    return nullptr;
  }
  return topology;
}

// hwloc has locks of its own while it reads a machine and while it forgets one.
constinit std::mutex reading_mutex;

/// The last inventory of this machine. It is valid while the affinity mask of the process and the
/// number of units online stay the same. Guarded by `reading_mutex`.
class last_reading {
 public:
  /// Frees everything, because the library may be unloaded. A static runtime may still be made
  /// afterwards; then nothing is kept.
  ~last_reading() {
    const std::lock_guard lock(reading_mutex);
    found_.reset();
    mask_ = {};
    over_ = true;
  }

  [[nodiscard]] std::optional<inventory> of(const std::vector<unsigned>& mask) const {
    if (over_ || !found_ || mask != mask_ || online_units() != online_) return std::nullopt;
    return found_;
  }
  void keep(const inventory& found, const std::vector<unsigned>& mask) {
    if (over_) return;
    found_ = found;
    mask_ = mask;
    online_ = online_units();
  }

 private:
  std::optional<inventory> found_;
  std::vector<unsigned> mask_;
  unsigned online_ = 0;
  static constinit bool over_;
};
constinit bool last_reading::over_ = false;
constinit last_reading last_read;

// Gives each distinct object the next number on first sight.
class numbering {
 public:
  unsigned operator()(const void* object) {
    return numbers_.try_emplace(object, static_cast<unsigned>(numbers_.size())).first->second;
  }
  const std::map<const void*, unsigned>& all() const noexcept { return numbers_; }

 private:
  std::map<const void*, unsigned> numbers_;
};

hwloc_obj_t ancestor_or(hwloc_topology_t topology, hwloc_obj_t unit, hwloc_obj_type_t type,
                        hwloc_obj_t otherwise) {
  const hwloc_obj_t found = hwloc_get_ancestor_obj_by_type(topology, type, unit);
  return found != nullptr ? found : otherwise;
}

// With several memories near a unit (DRAM and HBM), the first stands for its place.
hwloc_obj_t numa_node_of(hwloc_topology_t topology, hwloc_obj_t unit) {
  const int first = unit->nodeset != nullptr ? hwloc_bitmap_first(unit->nodeset) : -1;
  const hwloc_obj_t node =
      first < 0 ? nullptr
                : hwloc_get_numanode_obj_by_os_index(topology, static_cast<unsigned>(first));
  return node != nullptr ? node : hwloc_get_root_obj(topology);
}

double number_in(const hwloc_info_s& info) {
  const std::string_view text = info.value;
  double value = 0.0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

// The properties of a kind of core that tell its speed. Values can be compared only within one
// attribute.
struct kind_speed {
  int efficiency = -1;
  double linux_capacity = 0.0;
  double frequency = 0.0;
};

std::vector<kind_speed> read_kinds(hwloc_topology_t topology) {
  std::vector<kind_speed> kinds;
#if HWLOC_API_VERSION >= 0x00020400
  const int count = std::max(hwloc_cpukinds_get_nr(topology, 0), 0);
  for (unsigned kind = 0; kind < static_cast<unsigned>(count); ++kind) {
    kind_speed speed;
    unsigned info_count = 0;
    hwloc_info_s* infos = nullptr;
    if (hwloc_cpukinds_get_info(topology, kind, nullptr, &speed.efficiency, &info_count, &infos,
                                0) == 0) {
      for (unsigned i = 0; i < info_count; ++i) {
        const std::string_view name = infos[i].name;
        if (name == "LinuxCapacity") speed.linux_capacity = number_in(infos[i]);
        if (name == "FrequencyMaxMHz") speed.frequency = number_in(infos[i]);
      }
    }
    kinds.push_back(speed);
  }
#endif
  return kinds;
}

// The index into `read_kinds`, or -1.
int kind_of(hwloc_topology_t topology, hwloc_obj_t unit) {
#if HWLOC_API_VERSION >= 0x00020400
  return hwloc_cpukinds_get_by_cpuset(topology, unit->cpuset, 0);
#else
  static_cast<void>(topology);
  static_cast<void>(unit);
  return -1;
#endif
}

// Sets `kind` and `capacity`. hwloc's kinds may cover units outside the allowed set, so only kinds
// of allowed units are ranked. If any of these has no known efficiency, or a unit has no kind at
// all, all units count as equal.
void set_kinds(std::vector<processing_unit>& units, const std::vector<int>& kind_of_unit,
               const std::vector<kind_speed>& kinds) {
  std::map<int, unsigned> rank_of_efficiency;
  double most_capacity = 0.0;
  double most_frequency = 0.0;
  bool all_have_capacity = true;
  bool all_have_frequency = true;
  for (const int kind : kind_of_unit) {
    if (kind < 0 || static_cast<std::size_t>(kind) >= kinds.size()) return;
    const kind_speed& speed = kinds[static_cast<std::size_t>(kind)];
    if (speed.efficiency < 0) return;
    rank_of_efficiency.emplace(speed.efficiency, 0U);
    most_capacity = std::max(most_capacity, speed.linux_capacity);
    most_frequency = std::max(most_frequency, speed.frequency);
    all_have_capacity = all_have_capacity && speed.linux_capacity > 0.0;
    all_have_frequency = all_have_frequency && speed.frequency > 0.0;
  }
  unsigned next = 0;
  for (auto& [efficiency, rank] : rank_of_efficiency) rank = next++;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const kind_speed& speed = kinds[static_cast<std::size_t>(kind_of_unit[i])];
    units[i].kind = rank_of_efficiency.at(speed.efficiency);
    if (all_have_capacity) {
      units[i].capacity = speed.linux_capacity / most_capacity;
    } else if (all_have_frequency) {
      units[i].capacity = speed.frequency / most_frequency;
    }
  }
}

// The firmware's latency matrix between the nodes that were numbered; empty if there is none.
std::vector<double> read_numa_distances(hwloc_topology_t topology, const numbering& nodes) {
  unsigned matrices = 1;
  hwloc_distances_s* matrix = nullptr;
  if (hwloc_distances_get_by_type(topology, HWLOC_OBJ_NUMANODE, &matrices, &matrix,
                                  HWLOC_DISTANCES_KIND_MEANS_LATENCY, 0) != 0 ||
      matrices == 0 || matrix == nullptr) {
    return {};
  }
  const std::size_t size = nodes.all().size();
  std::vector<double> distances(size * size, 0.0);
  std::size_t filled = 0;
  for (unsigned row = 0; row < matrix->nbobjs; ++row) {
    const auto from = nodes.all().find(matrix->objs[row]);
    if (from == nodes.all().end()) continue;
    for (unsigned column = 0; column < matrix->nbobjs; ++column) {
      const auto to = nodes.all().find(matrix->objs[column]);
      if (to == nodes.all().end()) continue;
      distances[from->second * size + to->second] =
          static_cast<double>(matrix->values[row * matrix->nbobjs + column]);
      ++filled;
    }
  }
  hwloc_distances_release(topology, matrix);
  if (filled != distances.size()) distances.clear();
  return distances;
}

}  // namespace

bool hwloc_available() noexcept { return true; }

std::optional<inventory> read_with_hwloc(const machine_options& options, std::string& reason) {
  const std::lock_guard reading(reading_mutex);
  const bool here = !describes_another_machine(options);
  // hwloc's answer for this machine is checked against the mask: an older hwloc, or a topology
  // given in the environment, may list units on which our threads must not or cannot run.
  const std::vector<unsigned> mask = here ? process_affinity() : std::vector<unsigned>{};
  if (here && mask.empty()) {
    reason = "the system does not tell on which units the process may run";
    return std::nullopt;  // hwloc would repeat the same call for ever
  }
  if (here) {
    if (auto known = last_read.of(mask)) return known;
  }
  topology_pointer loaded;
  {
    // hwloc moves the thread from unit to unit, and does not notice if it may not go back.
    const affinity_guard back;
    loaded = load_topology(options, false, reason);
    // The operating system may hide the caches.
    if (here && loaded && hwloc_get_nbobjs_by_type(loaded.get(), HWLOC_OBJ_L2CACHE) == 0) {
      loaded = load_topology(options, true, reason);
    }
  }
  if (!loaded) return std::nullopt;
  const hwloc_topology_t topology = loaded.get();

  inventory found;
  numbering cores, l2_groups, l3_groups, numa_nodes, packages;
  std::map<unsigned, unsigned> units_of_core;
  std::vector<int> kind_of_unit;
  const hwloc_const_bitmap_t allowed = hwloc_topology_get_allowed_cpuset(topology);
  hwloc_obj_t unit = nullptr;
  while ((unit = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_PU, unit)) != nullptr) {
    if (hwloc_bitmap_isset(allowed, unit->os_index) == 0) continue;
    if (here && !std::ranges::binary_search(mask, unit->os_index)) continue;
    const hwloc_obj_t core = ancestor_or(topology, unit, HWLOC_OBJ_CORE, unit);
    const hwloc_obj_t l2 = ancestor_or(topology, unit, HWLOC_OBJ_L2CACHE, core);
    const hwloc_obj_t l3 = ancestor_or(topology, unit, HWLOC_OBJ_L3CACHE, l2);
    processing_unit described;
    described.os_index = unit->os_index;
    described.core = cores(core);
    described.l2_group = l2_groups(l2);
    described.l3_group = l3_groups(l3);
    described.numa_node = numa_nodes(numa_node_of(topology, unit));
    described.package =
        packages(ancestor_or(topology, unit, HWLOC_OBJ_PACKAGE, hwloc_get_root_obj(topology)));
    described.smt_rank = units_of_core[described.core]++;
    found.units.push_back(described);
    kind_of_unit.push_back(kind_of(topology, unit));
  }
  if (found.units.empty()) {
    reason = "hwloc found no processing unit that the process may use";
    return std::nullopt;
  }
  set_kinds(found.units, kind_of_unit, read_kinds(topology));
  found.knows_parts = true;
  found.numa_distances = read_numa_distances(topology, numa_nodes);
  const int complete = hwloc_bitmap_weight(hwloc_topology_get_complete_cpuset(topology));
  const auto listed = static_cast<unsigned>(found.units.size());
  found.present =
      here ? std::max(online_units(), listed) : std::max(static_cast<unsigned>(complete), listed);
  if (here && listed == mask.size()) last_read.keep(found, mask);
  return found;
}

void lock_inventory() noexcept { reading_mutex.lock(); }
void unlock_inventory() noexcept { reading_mutex.unlock(); }

}  // namespace evencube::detail
