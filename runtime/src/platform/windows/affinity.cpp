#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>

#include "platform/platform.hpp"
#include "platform/windows/system.hpp"

// Windows has units in groups of at most 64, and a mask names units of one group. The number of a
// unit is 64 times the number of its group, plus its number in the group.
namespace evencube::detail {
namespace {

constexpr unsigned units_of_group = 64;
static_assert(sizeof(KAFFINITY) * 8 == units_of_group);

// What the system says of the parts of one kind, one after another.
class relations {
 public:
  explicit relations(LOGICAL_PROCESSOR_RELATIONSHIP kind) noexcept {
    DWORD size = 0;
    // The size grows if units are added between the two calls.
    for (int attempt = 0; attempt < 4; ++attempt) {
      if (GetLogicalProcessorInformationEx(kind, at(bytes_.get()), &size) != 0) {
        size_ = size;
        return;
      }
      if (GetLastError() != ERROR_INSUFFICIENT_BUFFER) return;
      bytes_.reset(new (std::nothrow) std::byte[size]);
      if (!bytes_) return;
    }
  }

  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }

  template <typename See>
  void each(See&& see) const {
    for (std::size_t begin = 0; begin < size_;) {
      const auto& one = *at(bytes_.get() + begin);
      if (one.Size == 0) return;
      see(one);
      begin += one.Size;
    }
  }

 private:
  using information = SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX;
  static information* at(std::byte* bytes) noexcept {
    return reinterpret_cast<information*>(bytes);
  }

  // Memory from `new` is aligned for the information, whose sizes are multiples of eight bytes.
  std::unique_ptr<std::byte[]> bytes_;
  std::size_t size_ = 0;
};

// The units of the mask in the group.
template <typename See>
void each_unit(const GROUP_AFFINITY& part, See&& see) {
  for (KAFFINITY left = part.Mask; left != 0; left &= left - 1) {
    see(part.Group * units_of_group + static_cast<unsigned>(std::countr_zero(left)));
  }
}

std::vector<unsigned> units_of(const GROUP_AFFINITY& part) {
  std::vector<unsigned> found;
  each_unit(part, [&](unsigned unit) { found.push_back(unit); });
  return found;
}

template <typename See>
void each_group(See&& see) {
  const relations groups(RelationGroup);
  groups.each([&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& one) {
    // An array without a size in the headers.
    const PROCESSOR_GROUP_INFO* const all = one.Group.GroupInfo;
    for (WORD group = 0; group < one.Group.ActiveGroupCount; ++group) {
      see(GROUP_AFFINITY{
          .Mask = all[group].ActiveProcessorMask, .Group = group, .Reserved = {0, 0, 0}});
    }
  });
}

// The last of the reserved bytes count the groups since Windows 11, and are 0 before, when there is
// one. Older headers do not name them.
template <typename Part>
WORD groups_of(const Part& part) noexcept {
  WORD count = 0;
  std::memcpy(&count, reinterpret_cast<const std::byte*>(&part.GroupMask) - sizeof count,
              sizeof count);
  return std::max<WORD>(count, 1);
}

bool own_part(GROUP_AFFINITY& part) noexcept {
  return GetThreadGroupAffinity(GetCurrentThread(), &part) != 0;
}

// The units of one group among those given.
GROUP_AFFINITY part_in(WORD group, std::span<const unsigned> os_indices) noexcept {
  GROUP_AFFINITY part{.Mask = 0, .Group = group, .Reserved = {0, 0, 0}};
  for (const unsigned unit : os_indices) {
    if (unit / units_of_group == group) part.Mask |= KAFFINITY{1} << unit % units_of_group;
  }
  return part;
}

}  // namespace

bool can_bind_threads() noexcept { return true; }

// A thread that is bound is in one group. Since Windows 11, one that was never bound may run in all
// groups, and the system tells the first.
std::vector<unsigned> thread_affinity() {
  GROUP_AFFINITY mine{};
  return own_part(mine) ? units_of(mine) : std::vector<unsigned>{};
}

std::vector<unsigned> process_affinity() {
  DWORD_PTR allowed = 0;
  DWORD_PTR present = 0;
  GROUP_AFFINITY mine{};
  // A process that was restricted is in one group. If it was not, its threads may go to each group.
  // Both masks are zero if threads have gone already. A job that leaves some groups only is not
  // seen.
  if (GetProcessAffinityMask(GetCurrentProcess(), &allowed, &present) != 0 && allowed != present &&
      own_part(mine)) {
    mine.Mask = allowed;
    return units_of(mine);
  }
  std::vector<unsigned> found;
  each_group([&](const GROUP_AFFINITY& group) {
    each_unit(group, [&](unsigned unit) { found.push_back(unit); });
  });
  return found.empty() ? thread_affinity() : found;
}

const char* source_of_affinity() noexcept { return "GetProcessAffinityMask"; }

// Of units in several groups, the thread gets those of the group it is in, or else those of the
// group of the first unit.
bool set_thread_affinity(std::span<const unsigned> os_indices) noexcept {
  GROUP_AFFINITY mine{};
  if (os_indices.empty() || !own_part(mine)) return false;
  GROUP_AFFINITY wanted = part_in(mine.Group, os_indices);
  if (wanted.Mask == 0) {
    wanted = part_in(static_cast<WORD>(os_indices.front() / units_of_group), os_indices);
  }
  if (SetThreadGroupAffinity(GetCurrentThread(), &wanted, nullptr) != 0) return true;
  // Unlike other systems, Windows refuses a mask that names any unit that is not allowed.
  DWORD_PTR allowed = 0;
  DWORD_PTR present = 0;
  if (wanted.Group != mine.Group ||
      GetProcessAffinityMask(GetCurrentProcess(), &allowed, &present) == 0) {
    return false;
  }
  wanted.Mask &= allowed;
  return wanted.Mask != 0 && SetThreadGroupAffinity(GetCurrentThread(), &wanted, nullptr) != 0;
}

bool runs_only_on(std::span<const unsigned> os_indices) noexcept {
  GROUP_AFFINITY mine{};
  return own_part(mine) && mine.Mask != 0 && part_in(mine.Group, os_indices).Mask == mine.Mask &&
         std::ranges::all_of(os_indices,
                             [&](unsigned unit) { return unit / units_of_group == mine.Group; });
}

int unit_under_thread() noexcept {
  PROCESSOR_NUMBER here{};
  GetCurrentProcessorNumberEx(&here);
  return static_cast<int>(here.Group * units_of_group + here.Number);
}

unsigned online_units() noexcept {
  return static_cast<unsigned>(std::max<DWORD>(GetActiveProcessorCount(ALL_PROCESSOR_GROUPS), 1));
}

std::vector<place_of_unit> places_of_units() {
  std::vector<place_of_unit> places;
  each_group([&](const GROUP_AFFINITY& group) {
    // What is not reported is shared with no unit. The numbers of parts count up from 1.
    each_unit(group, [&](unsigned unit) {
      places.push_back({.os_index = unit, .l2_group = ~unit, .core = ~unit});
    });
  });
  unsigned parts = 0;
  // Gives the units of a part the part's number, or another value. The places are in the order of
  // the units.
  const auto mark = [&](const GROUP_AFFINITY& part, unsigned place_of_unit::* member,
                        unsigned value) {
    each_unit(part, [&](unsigned unit) {
      const auto place = std::ranges::lower_bound(places, unit, {}, &place_of_unit::os_index);
      if (place != places.end() && place->os_index == unit) (*place).*member = value;
    });
  };
  const auto mark_groups = [&](const GROUP_AFFINITY* groups, WORD count,
                               unsigned place_of_unit::* member, unsigned value) {
    for (WORD k = 0; k < count; ++k) mark(groups[k], member, value);
  };
  const auto mark_all = [&](const PROCESSOR_RELATIONSHIP& part, unsigned place_of_unit::* member,
                            unsigned value) {
    mark_groups(part.GroupMask, part.GroupCount, member, value);
  };
  const relations cores(RelationProcessorCore);
  cores.each([&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& one) {
    mark_all(one.Processor, &place_of_unit::core, ++parts);
    // Where no cache is reported, units of a core share it.
    mark_all(one.Processor, &place_of_unit::l2_group, parts);
    // The efficiency class, which older headers count among the reserved bytes.
    mark_all(one.Processor, &place_of_unit::kind, (&one.Processor.Flags)[1]);
  });
  const relations packages(RelationProcessorPackage);
  packages.each([&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& one) {
    mark_all(one.Processor, &place_of_unit::package, ++parts);
  });
  // RelationNumaNodeEx tells all groups of a node. Older systems refuse it, and older headers do
  // not name it.
  const relations whole_nodes(static_cast<LOGICAL_PROCESSOR_RELATIONSHIP>(6));
  const relations nodes(RelationNumaNode);
  (whole_nodes.empty() ? nodes : whole_nodes)
      .each([&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& one) {
        mark_groups(&one.NumaNode.GroupMask, groups_of(one.NumaNode), &place_of_unit::numa_node,
                    ++parts);
      });
  const relations caches(RelationCache);
  const auto mark_caches = [&](BYTE level, unsigned place_of_unit::* member) {
    caches.each([&](const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX& one) {
      if (one.Cache.Level != level || one.Cache.Type == CacheInstruction) return;
      mark_groups(&one.Cache.GroupMask, groups_of(one.Cache), member, ++parts);
    });
  };
  mark_caches(2, &place_of_unit::l2_group);
  for (place_of_unit& place : places) place.l3_group = place.l2_group;
  mark_caches(3, &place_of_unit::l3_group);
  return places;
}

// The system counts the rate in hundredths of a percent of the whole machine.
std::optional<double> limit_of_job() noexcept {
  JOBOBJECT_CPU_RATE_CONTROL_INFORMATION rate{};
  // No job is named: it is that of the process, the innermost one.
  if (QueryInformationJobObject(nullptr, JobObjectCpuRateControlInformation, &rate, sizeof rate,
                                nullptr) == 0 ||
      (rate.ControlFlags & JOB_OBJECT_CPU_RATE_CONTROL_ENABLE) == 0) {
    return std::nullopt;
  }
  constexpr DWORD of_range = 0x10;  // JOB_OBJECT_CPU_RATE_CONTROL_MIN_MAX_RATE
  DWORD hundredths = 0;
  if ((rate.ControlFlags & of_range) != 0) {
    hundredths = rate.CpuRate >> 16;  // the larger of two numbers of 16 bits
  } else if ((rate.ControlFlags & JOB_OBJECT_CPU_RATE_CONTROL_HARD_CAP) != 0) {
    hundredths = rate.CpuRate;
  }
  // A weight or a target limits nothing, and neither does the whole machine.
  if (hundredths == 0 || hundredths >= 10'000) return std::nullopt;
  return hundredths / 10'000.0 * online_units();
}

bool has_control_groups() noexcept { return false; }

}  // namespace evencube::detail
