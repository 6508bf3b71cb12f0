// Plain MPI: rank 0 has all parts and hands them out, each other rank asks for one, works and gives
// back what it found and what is left. Its workers are one less than its ranks.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <chrono>
#include <cstring>
#include <deque>
#include <exception>

#include "work.hpp"

namespace {

using namespace bench::ranks;  // NOLINT(google-build-using-namespace): the work is this program's
using clock_type = std::chrono::steady_clock;

enum tag : int { work_tag, done_tag, stop_tag };

struct counters {
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  std::uint64_t tasks = 0;
};

template <typename T>
void send(const std::vector<T>& what, int to, int tag, counters& counted) {
  const std::size_t bytes = what.size() * sizeof(T);
  MPI_Send(what.data(), static_cast<int>(bytes), MPI_BYTE, to, tag, MPI_COMM_WORLD);
  ++counted.messages;
  counted.bytes += bytes;
}

template <typename T>
MPI_Status receive(std::vector<T>& into, int from) {
  MPI_Status status;
  MPI_Probe(from, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
  int bytes = 0;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  into.resize(static_cast<std::size_t>(bytes) / sizeof(T));
  MPI_Recv(into.data(), bytes, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
  return status;
}

/// What a worker gives back begins with its sum; the rest is what is left, or the pixels.
using answer = std::vector<std::byte>;

template <typename T>
answer answer_of(std::uint64_t sum, const std::vector<T>& rest) {
  answer made(sizeof sum + rest.size() * sizeof(T));
  std::memcpy(made.data(), &sum, sizeof sum);
  if (!rest.empty()) std::memcpy(made.data() + sizeof sum, rest.data(), rest.size() * sizeof(T));
  return made;
}

/// Until the manager has no more: `work(part)` gives an answer.
template <typename Part, typename Work>
void be_worker(const Work& work, counters& counted) {
  send(answer{}, 0, done_tag, counted);  // ready
  std::vector<Part> part;
  while (receive(part, 0).MPI_TAG == work_tag) {
    ++counted.tasks;
    send(work(part), 0, done_tag, counted);
  }
}

/// Hands parts out to whoever is idle; `more(answer, parts)` adds what an answer leaves.
template <typename Part, typename More>
std::uint64_t be_manager(std::deque<std::vector<Part>> parts, int workers, const More& more,
                         counters& counted) {
  std::uint64_t sum = 0;
  std::deque<int> idle;
  int busy = workers;  // until they say that they are ready
  answer came;
  while (busy > 0 || !parts.empty()) {
    while (!parts.empty() && !idle.empty()) {
      send(parts.back(), idle.front(), work_tag, counted);
      parts.pop_back();
      idle.pop_front();
      ++busy;
    }
    const MPI_Status status = receive(came, MPI_ANY_SOURCE);
    --busy;
    idle.push_back(status.MPI_SOURCE);
    if (came.empty()) continue;
    std::uint64_t part = 0;
    std::memcpy(&part, came.data(), sizeof part);
    sum += part;
    more(came, parts);
  }
  for (const int each : idle) send(std::vector<Part>{}, each, stop_tag, counted);
  return sum;
}

std::uint64_t run(const settings& what, int rank, int size, counters& counted) {
  if (what.workload == "uts") {
    const search_tree tree = evencube::workloads::tree_named(what.tree);
    if (rank != 0) {
      be_worker<tree_node>(
          [&](tree_part& part) {
            const std::uint64_t count = count_some(tree, part, what.grain);
            return answer_of(count, part);
          },
          counted);
      return 0;
    }
    return be_manager<tree_node>(
        {{evencube::workloads::root_of(tree)}}, size - 1,
        [](const answer& came, std::deque<tree_part>& parts) {
          tree_part left((came.size() - sizeof(std::uint64_t)) / sizeof(tree_node));
          if (left.empty()) return;
          std::memcpy(left.data(), came.data() + sizeof(std::uint64_t),
                      left.size() * sizeof(tree_node));
          for (tree_part& each : dealt(left, 4)) parts.push_back(std::move(each));
        },
        counted);
  }
  if (rank != 0) {
    be_worker<tile>(
        [&](const std::vector<tile>& part) {
          const tile_pixels pixels = painted(what.image, part.front());
          return answer_of(sum_of(pixels), pixels);
        },
        counted);
    return 0;
  }
  std::deque<std::vector<tile>> parts;
  for (std::uint32_t y = 0; y < what.image.tiles_per_side; ++y) {
    for (std::uint32_t x = 0; x < what.image.tiles_per_side; ++x) parts.push_back({{x, y}});
  }
  return be_manager<tile>(
      std::move(parts), size - 1, [](const answer&, std::deque<std::vector<tile>>&) {}, counted);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  try {
    const settings what = settings_of(argc, argv);
    if (what.workload != "uts" && what.workload != "tiles") {
      throw std::invalid_argument("only uts and tiles, not " + what.workload);
    }
    if (size < 2) throw std::invalid_argument("a manager and at least one worker take 2 ranks");
    report said;
    counters counted;
    for (int repeat = -1; repeat < what.repetitions; ++repeat) {
      if (repeat == 0) counted = {};  // what was before does not count
      MPI_Barrier(MPI_COMM_WORLD);
      const auto began = clock_type::now();
      const std::uint64_t found = run(what, rank, size, counted);
      if (repeat < 0) continue;
      said.seconds.push_back(std::chrono::duration<double>(clock_type::now() - began).count());
      said.found.push_back(found);
    }
    said.counts = {{"tasks", counted.tasks},
                   {"moved", counted.tasks},
                   {"messages", counted.messages},
                   {"bytes", counted.bytes}};
    print(said, what, static_cast<unsigned>(rank));
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  MPI_Finalize();
  return 0;
}
