#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <evencube/machine.hpp>

#include "machine/cgroup.hpp"
#include "machine/inventory.hpp"
#include "platform/platform.hpp"

namespace evencube {
namespace {

/// The largest number of units that Linux supports.
constexpr std::uint64_t most_described_units = 8192;
/// The limit for units, objects above them, and memory. hwloc makes sets for each of them, with a
/// bit for each unit, and takes up to 256 MiB for these.
constexpr std::uint64_t most_described_parts = 32768;
/// hwloc compares the set of each unit with those of all its siblings: this limit takes about two
/// seconds.
constexpr double most_described_work = 64e9;

[[noreturn]] void refuse(const std::string& what, const std::string& value,
                         const std::string& reason) {
  throw std::invalid_argument(what + " \"" + value + "\": " + reason);
}

// "1.5", "2": the shortest text that reads back as the same number.
std::string text_of(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  return {text, end};
}

std::string counted(unsigned count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

std::string explain(const machine& found, unsigned present, const detail::cpu_quota& quota,
                    const std::string& trouble) {
  const auto allowed = static_cast<unsigned>(found.units.size());
  std::string line = counted(found.default_workers, "worker") + ": ";
  const std::string units =
      counted(allowed, "processing unit") + " allowed (of " + std::to_string(present) + ")";
  if (std::isinf(quota.cpus)) {
    line += units + ", no CPU quota";
  } else if (found.default_workers < allowed) {
    line += "CPU quota of " + text_of(quota.cpus) + " (" + quota.group + "), " + units;
  } else {
    line += units + ", CPU quota of " + text_of(quota.cpus) + " (" + quota.group + ")";
  }
  if (!trouble.empty()) line += "; caches and cores unknown: " + trouble;
  return line;
}

// hwloc itself reads these variables, so what it found of this machine may be another one's.
std::string told_by_environment() {
  for (const char* const name : {"HWLOC_SYNTHETIC", "HWLOC_XMLFILE", "HWLOC_FSROOT"}) {
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    return std::string("; hwloc is told of a machine by ") + name + "=\"" + value +
           "\" in the environment";
  }
  return {};
}

struct described {
  std::uint64_t units = 1;  ///< the product of the numbers of the levels, at most `most`
  std::uint64_t parts = 0;  ///< the objects of all levels, and the memory attached to them
  double beside = 0;        ///< the sum of the numbers
  bool memory_level = false;
  bool memory_attached = false;

  /// The work of hwloc until it has made the objects: the bits of a set times the comparisons of
  /// sets.
  [[nodiscard]] double work() const {
    const auto n = static_cast<double>(units);
    return n * n * beside;
  }
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Parses a synthetic description, such as "pack:2 [numa] core:2 pu:2(indexes=4)" for 8 units. It
/// has levels, which are numbers, or names with a colon and a number, each with or without
/// attributes in brackets; the last level is processing units. Between levels there may be attached
/// objects, in square brackets. Returns nothing for any other text: hwloc (2.9) reads some of those
/// in its own way, where a bracket hides numbers from us and not from hwloc, or it leaks memory
/// when it refuses them.
std::optional<described> described_by(std::string_view text, std::uint64_t most) {
  described found;
  bool units = false;
  const auto skip_brackets = [&](std::size_t& at) {
    const std::size_t end = text.find(text[at] == '[' ? ']' : ')', at);
    at = end == std::string_view::npos ? end : end + 1;
    return at != std::string_view::npos;
  };
  std::size_t at = 0;
  if (text.starts_with('(') && !skip_brackets(at)) return std::nullopt;  // the machine's own
  while (at < text.size()) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    if (text[at] == '[') {
      if (!skip_brackets(at)) return std::nullopt;
      found.parts += found.units;
      found.memory_attached = true;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && (is_digit(text[at]) || is_letter(text[at]))) ++at;
    const bool named = at < text.size() && text[at] == ':';
    const std::string_view name = named ? text.substr(begin, at - begin) : std::string_view{};
    const std::size_t number = named ? at + 1 : begin;
    std::uint64_t count = 0;
    const auto [end, problem] =
        std::from_chars(text.data() + number, text.data() + text.size(), count);
    if (problem == std::errc::invalid_argument) return std::nullopt;
    if (problem != std::errc{} || (count != 0 && found.units > most / count)) return {{most}};
    found.units *= std::max<std::uint64_t>(count, 1);
    found.parts += found.units;
    found.beside += static_cast<double>(count);
    // "numa", "NUMANode", "node": all names that hwloc has for them, and no others.
    if (name.starts_with('n') || name.starts_with('N')) found.memory_level = true;
    units = !named || name == "pu" || name == "PU";
    at = static_cast<std::size_t>(end - text.data());
    if (at < text.size() && text[at] == '(' && !skip_brackets(at)) return std::nullopt;
    if (at < text.size() && text[at] != ' ' && text[at] != '[') return std::nullopt;
  }
  if (!units) return std::nullopt;
  return found;
}

void check(const machine_options& options) {
  const bool synthetic = !options.synthetic.empty();
  if (synthetic && !options.xml.empty()) {
    refuse("synthetic machine", options.synthetic,
           "give either a synthetic description or an XML file, not both");
  }
  if ((synthetic || !options.xml.empty()) && !(options.use_hwloc && detail::hwloc_available())) {
    refuse(synthetic ? "synthetic machine" : "machine XML",
           synthetic ? options.synthetic : options.xml,
           "only hwloc can read a description, and it is absent or switched off");
  }
  if (!synthetic) return;
  // Checked before hwloc reads the description, because hwloc would first make all objects.
  const auto asked = described_by(options.synthetic, most_described_units + 1);
  if (!asked) {
    refuse("synthetic machine", options.synthetic,
           "it must be levels such as core:2, the last one of processing units, pu:2");
  }
  if (asked->memory_level && asked->memory_attached) {
    refuse("synthetic machine", options.synthetic,
           "its memory must be either a level such as numa:2 or attached to levels, [numa], not "
           "both");
  }
  if (asked->units > most_described_units) {
    refuse("synthetic machine", options.synthetic,
           "it has more than " + std::to_string(most_described_units) + " processing units");
  }
  if (asked->parts > most_described_parts) {
    refuse("synthetic machine", options.synthetic,
           "it has more than " + std::to_string(most_described_parts) +
               " parts: units, what is above them and memory");
  }
  if (asked->work() > most_described_work) {
    refuse("synthetic machine", options.synthetic,
           "it has too many parts on one level, for which hwloc would need too long; use more "
           "levels, or fewer units");
  }
}

}  // namespace

machine discover_machine(const machine_options& options) {
  check(options);
  const bool described = !options.synthetic.empty() || !options.xml.empty();

  machine found;
  detail::inventory inventory;
  std::string trouble;
  std::optional<detail::inventory> from_hwloc;
  if (options.use_hwloc) from_hwloc = detail::read_with_hwloc(options, trouble);
  if (from_hwloc) {
    inventory = std::move(*from_hwloc);
    found.source = "hwloc";
  } else if (described) {
    const bool synthetic = !options.synthetic.empty();
    refuse(synthetic ? "synthetic machine" : "machine XML",
           synthetic ? options.synthetic : options.xml, trouble);
  } else {
    inventory = detail::read_with_affinity();
    found.source = detail::source_of_affinity();
    if (inventory.knows_parts) trouble.clear();
  }
  found.units = std::move(inventory.units);
  found.numa_distances = std::move(inventory.numa_distances);

  detail::cpu_quota quota;
  if (options.root) {
    quota = detail::read_cpu_quota(*options.root);
  } else if (!described) {
    quota = detail::read_cpu_quota("/");
  }
  found.quota = quota.cpus;
  const auto allowed = static_cast<unsigned>(found.units.size());
  // Rounded down: with one busy thread more than the quota pays for, the system stops the whole
  // group for a part of each period. Compared as real numbers: a quota may be larger than any
  // unsigned.
  found.default_workers = quota.cpus < static_cast<double>(allowed)
                              ? std::max(static_cast<unsigned>(quota.cpus), 1U)
                              : allowed;
  found.reason = explain(found, inventory.present, quota, trouble);
  if (!described && from_hwloc) found.reason += told_by_environment();
  return found;
}

}  // namespace evencube
