#include "registration.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <evencube/error.hpp>
#include <evencube/version.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "fnv.hpp"
#include "program_id.hpp"

namespace evencube::detail {
namespace {

std::string shown(const std::string& name) { return name.empty() ? "nothing" : "\"" + name + "\""; }

std::string shown(const balancer_options& options) {
  std::string text;
  for (const auto& [name, value] : options) {
    text += (text.empty() ? "" : ", ") + name + "=" + value;
  }
  return text;
}

/// Hashes from two different numbers on.
std::array<std::uint64_t, 2> hashes_of(std::span<const std::byte> bytes) {
  return {fnv_1a(bytes), fnv_1a(bytes, 0x84222325cbf29ce4U)};
}

/// Throws the error that names the first difference between what the ranks have registered.
[[noreturn]] void throw_difference(const std::vector<message_bytes>& all) {
  struct said {
    std::string version, program, balancer, balancer_options, transmission, sharing;
    std::vector<std::pair<std::string, std::string>> tasks;
  };
  const auto read = [&](std::size_t rank) {
    byte_reader in(all[rank]);
    said found;
    found.version = in.text();
    found.program = in.text();
    found.balancer = in.text();
    found.balancer_options = in.text();
    found.transmission = in.text();
    found.sharing = in.text();
    found.tasks.resize(in.get<std::uint32_t>());
    for (auto& [name, signature] : found.tasks) {
      name = in.text();
      signature = in.text();
    }
    return found;
  };
  const auto differ = [](std::size_t rank, const std::string& what, const std::string& there,
                         const std::string& here) {
    throw error("cluster: the ranks differ in " + what + ": rank " + std::to_string(rank) +
                " has " + there + ", rank 0 has " + here);
  };
  const said first = read(0);
  for (std::size_t k = 1; k < all.size(); ++k) {
    const said other = read(k);
    if (other.version != first.version) {
      differ(k, "their EvenCube", other.version, first.version);
    }
    if (other.program != first.program) {
      differ(k, "their program", "build id " + shown(other.program), shown(first.program));
    }
    if (other.balancer != first.balancer) {
      differ(k, "cluster_options::balancer", shown(other.balancer), shown(first.balancer));
    }
    if (other.balancer_options != first.balancer_options) {
      differ(k, "cluster_options::balancer_options", shown(other.balancer_options),
             shown(first.balancer_options));
    }
    if (other.transmission != first.transmission) {
      differ(k, "cluster_options::transmission", shown(other.transmission),
             shown(first.transmission));
    }
    if (other.sharing != first.sharing) {
      differ(k, "cluster_options::sharing", shown(other.sharing), shown(first.sharing));
    }
    for (std::size_t t = 0; t < std::max(other.tasks.size(), first.tasks.size()); ++t) {
      static const std::pair<std::string, std::string> none;
      const auto& there = t < other.tasks.size() ? other.tasks[t] : none;
      const auto& here = t < first.tasks.size() ? first.tasks[t] : none;
      if (there.first != here.first) {
        differ(k, "task " + std::to_string(t) + " of those registered", shown(there.first),
               shown(here.first));
      }
      if (there.second != here.second) {
        differ(k, "the types of task " + shown(here.first), there.second, here.second);
      }
    }
  }
  throw error("cluster: the ranks differ in what they have registered");
}

}  // namespace

void registration::agree() {
  if (work_.seal()) {
    try {
      compare();
    } catch (...) {
      const data_lock lock(core_.mutex);
      unequal_ = std::current_exception();
      throw;
    }
  }
  const data_lock lock(core_.mutex);
  if (unequal_) std::rethrow_exception(unequal_);
}

// Compares what must be equal on all ranks, by a hash, and collects the numbers of their workers.
// If the hashes differ, the texts say where.
void registration::compare() {
  byte_writer text;
  text.put(std::string(evencube::version));
  text.put(program_id());
  text.put(core_.options.balancer.name());
  text.put(shown(core_.options.balancer_options));
  text.put(core_.options.transmission.text());
  text.put(std::string(evencube::to_string(core_.options.sharing)));
  text.put(static_cast<std::uint32_t>(work_.types().size()));
  for (const cluster_task_type& type : work_.types().all()) {
    text.put(type.name);
    text.put(type.signature);
  }
  message_bytes texts = text.take();
  struct said_of_rank {
    std::array<std::uint64_t, 2> hash{};
    std::uint32_t workers = 0;
    std::uint32_t unused = 0;
  };
  byte_writer own;
  own.put(said_of_rank{.hash = hashes_of(texts), .workers = core_.runtime.workers()});
  std::vector<double> workers;
  bool equal = true;
  std::array<std::uint64_t, 2> first_hash{};
  for (const message_bytes& one : gatherings_.gather(own.take(), "the first group")) {
    const auto said = byte_reader(one).get<said_of_rank>();
    if (workers.empty()) first_hash = said.hash;
    equal &= said.hash == first_hash;
    workers.push_back(said.workers);
  }
  if (!equal)
    throw_difference(gatherings_.gather(std::move(texts), "the first group, which differs"));
  const data_lock lock(core_.mutex);
  balancing_.record().workers_of = std::move(workers);
  core_.tell_progress();
}

}  // namespace evencube::detail
