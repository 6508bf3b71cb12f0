// StarPU's MPI layer: each tile's pixels belong to a rank, in turn, and where they belong the tile
// is painted; then they go to rank 0. There is no such program for trees that are found as they are
// walked: all ranks must name all tasks in the same order.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <starpu_mpi.h>

#include <atomic>
#include <chrono>
#include <exception>

#include "work.hpp"

namespace {

using namespace bench::ranks;  // NOLINT(google-build-using-namespace): the work is this program's
using clock_type = std::chrono::steady_clock;

std::atomic<std::uint64_t> messages{0};
std::atomic<std::uint64_t> bytes{0};

void count(int items, MPI_Datatype type) {
  int size = 0;
  MPI_Type_size(type, &size);
  messages.fetch_add(1, std::memory_order_relaxed);
  bytes.fetch_add(static_cast<std::uint64_t>(items) * static_cast<std::uint64_t>(size),
                  std::memory_order_relaxed);
}

void paint(void** buffers, void* arguments) {
  picture image;
  tile at;
  starpu_codelet_unpack_args(arguments, &image, &at);
  const tile_pixels pixels = painted(image, at);
  auto* const to = reinterpret_cast<std::uint16_t*>(STARPU_VECTOR_GET_PTR(buffers[0]));
  std::copy(pixels.begin(), pixels.end(), to);
}

starpu_codelet made_codelet() {
  starpu_codelet made;
  starpu_codelet_init(&made);
  made.cpu_funcs[0] = &paint;
  made.nbuffers = 1;
  made.modes[0] = STARPU_W;
  return made;
}
starpu_codelet painting = made_codelet();

class tiles {
 public:
  tiles(const picture& of, int rank, int size) : of_(of), rank_(rank) {
    const std::size_t pixels = std::size_t{of.pixels} * of.pixels;
    const unsigned all = of.tiles_per_side * of.tiles_per_side;
    own_.resize(all);
    handles_.resize(all);
    for (unsigned i = 0; i < all; ++i) {
      const int owner = static_cast<int>(i) % size;
      if (owner == rank) own_[i].resize(pixels);
      starpu_vector_data_register(&handles_[i], owner == rank ? STARPU_MAIN_RAM : -1,
                                  reinterpret_cast<std::uintptr_t>(own_[i].data()),
                                  static_cast<std::uint32_t>(pixels), sizeof(std::uint16_t));
      starpu_mpi_data_register(handles_[i], static_cast<starpu_mpi_tag_t>(i), owner);
    }
  }
  tiles(const tiles&) = delete;
  tiles& operator=(const tiles&) = delete;
  ~tiles() {
    for (const starpu_data_handle_t each : handles_) starpu_data_unregister(each);
  }

  /// The sum of all pixels at rank 0, 0 elsewhere.
  std::uint64_t painted_and_gathered() {
    for (std::uint32_t i = 0; i < handles_.size(); ++i) {
      const tile at{i % of_.tiles_per_side, i / of_.tiles_per_side};
      starpu_mpi_task_insert(MPI_COMM_WORLD, &painting, STARPU_VALUE, &of_, sizeof of_,
                             STARPU_VALUE, &at, sizeof at, STARPU_W, handles_[i], 0);
    }
    for (const starpu_data_handle_t each : handles_) {
      starpu_mpi_get_data_on_node_detached(MPI_COMM_WORLD, each, 0, nullptr, nullptr);
    }
    std::uint64_t sum = 0;
    for (const starpu_data_handle_t each : handles_) {
      if (rank_ != 0) break;
      starpu_data_acquire(each, STARPU_R);
      const auto* const from = static_cast<const std::uint16_t*>(starpu_data_get_local_ptr(each));
      for (std::size_t i = 0; i < std::size_t{of_.pixels} * of_.pixels; ++i) sum += from[i];
      starpu_data_release(each);
    }
    starpu_mpi_wait_for_all(MPI_COMM_WORLD);
    starpu_mpi_cache_flush_all_data(MPI_COMM_WORLD);
    return sum;
  }

 private:
  picture of_;
  int rank_;
  std::vector<tile_pixels> own_;
  std::vector<starpu_data_handle_t> handles_;
};

}  // namespace

// What StarPU sends goes through these: MPI's own go by another name.
extern "C" int MPI_Isend(const void* what, int items, MPI_Datatype type, int to, int tag,
                         MPI_Comm among, MPI_Request* request) {
  count(items, type);
  return PMPI_Isend(what, items, type, to, tag, among, request);
}
extern "C" int MPI_Issend(const void* what, int items, MPI_Datatype type, int to, int tag,
                          MPI_Comm among, MPI_Request* request) {
  count(items, type);
  return PMPI_Issend(what, items, type, to, tag, among, request);
}
extern "C" int MPI_Send(const void* what, int items, MPI_Datatype type, int to, int tag,
                        MPI_Comm among) {
  count(items, type);
  return PMPI_Send(what, items, type, to, tag, among);
}

int main(int argc, char** argv) {
  try {
    const settings what = settings_of(argc, argv);
    if (what.workload != "tiles") throw std::invalid_argument("only tiles, not " + what.workload);
    starpu_conf conf;
    starpu_conf_init(&conf);
    conf.ncpus = static_cast<int>(what.workers);
    conf.ncuda = conf.nopencl = 0;
    if (starpu_mpi_init_conf(&argc, &argv, 1, MPI_COMM_WORLD, &conf) != 0) {
      throw std::runtime_error("StarPU cannot be initialised");
    }
    int rank = 0;
    int size = 0;
    starpu_mpi_comm_rank(MPI_COMM_WORLD, &rank);
    starpu_mpi_comm_size(MPI_COMM_WORLD, &size);
    report said;
    for (int repeat = -1; repeat < what.repetitions; ++repeat) {
      tiles all(what.image, rank, size);
      starpu_mpi_barrier(MPI_COMM_WORLD);
      if (repeat == 0) messages = bytes = 0;  // what was before does not count
      const auto began = clock_type::now();
      const std::uint64_t found = all.painted_and_gathered();
      if (repeat < 0) continue;
      said.seconds.push_back(std::chrono::duration<double>(clock_type::now() - began).count());
      said.found.push_back(found);
    }
    const unsigned each = what.image.tiles_per_side * what.image.tiles_per_side;
    const auto repeats = static_cast<std::uint64_t>(what.repetitions);
    said.counts = {{"tasks", rank == 0 ? each * repeats : 0},
                   {"moved", 0},
                   {"messages", messages.load()},
                   {"bytes", bytes.load()}};
    print(said, what, static_cast<unsigned>(rank));
    starpu_mpi_shutdown();
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "%s\n", problem.what());
    return 2;
  }
  return 0;
}
