#include "mpi_transport.hpp"

// Open MPI's bindings for C++, which the standard has dropped, cause warnings by clang.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <evencube/cluster.hpp>
#include <evencube/error.hpp>

#include "node_order.hpp"

namespace evencube::detail {
namespace {

constexpr int only_tag = 0;

/// The clusters over MPI that live in this process.
std::atomic<int> living{0};
/// Those that were destroyed without a word to MPI, because their ranks could not go on.
std::atomic<int> failed{0};

/// Ends the job, with a status that is not 0. MPI's launchers may take a process that exits for one
/// that has done its work.
void end_job(const std::string& why) noexcept {
  std::fprintf(stderr, "%s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

void end_job_at_exit() {
  const bool lives = living.load(std::memory_order_relaxed) != 0;
  if (!lives && failed.load(std::memory_order_relaxed) == 0) return;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  end_job("cluster: the process of rank " + std::to_string(rank) +
          (lives ? " exits while its cluster lives. This ends the job"
                 : " exits after its cluster has failed. This ends the job"));
}

/// Of a launcher: where it says how many processes it has started, and which of them this one is.
struct launcher_words {
  const char* size;
  const char* number;
};
constexpr launcher_words launchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                        {"PMI_SIZE", "PMI_RANK"},
                                        {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

/// Says so if a launcher has started several processes, and each is alone by this MPI. Then each
/// would do the whole work, which nobody could tell from its results.
void say_if_alone_among_many() {
  for (const launcher_words& each : launchers) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing is written there
    const char* const size = std::getenv(each.size);
    // NOLINTNEXTLINE(concurrency-mt-unsafe)
    const char* const number = std::getenv(each.number);
    if (size == nullptr || number == nullptr || std::string_view(number) != "0") continue;
    if (std::atoi(size) < 2) continue;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    MPI_Get_library_version(version, &length);
    std::string_view shown(version, static_cast<std::size_t>(length));
    shown = shown.substr(0, shown.find_first_of(",\n"));
    std::fprintf(stderr,
                 "cluster: %s is %s, but each process is alone and does the whole work: the "
                 "launcher is not that of this program's MPI (%.*s)\n",
                 each.size, size, static_cast<int>(shown.size()), shown.data());
    return;
  }
}

/// Returns a communicator of the same processes, whose ranks are numbered node by node.
MPI_Comm numbered_by_node(MPI_Comm ranks) {
  int size = 0;
  int rank = 0;
  MPI_Comm_size(ranks, &size);
  MPI_Comm_rank(ranks, &rank);
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(ranks, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  // Its first process gives a node its number.
  int number = rank;
  MPI_Bcast(&number, 1, MPI_INT, 0, node);
  MPI_Comm_free(&node);
  const auto own = static_cast<unsigned>(number);
  std::vector<unsigned> node_of(static_cast<std::size_t>(size));
  MPI_Allgather(&own, 1, MPI_UNSIGNED, node_of.data(), 1, MPI_UNSIGNED, ranks);
  MPI_Comm numbered = MPI_COMM_NULL;
  MPI_Comm_split(ranks, 0, static_cast<int>(ranks_by_node(node_of)[static_cast<std::size_t>(rank)]),
                 &numbered);
  return numbered;
}

/// Calls MPI from one thread at a time. The progress thread of the rank makes the first and the
/// last call, and all calls if MPI allows no more than MPI_THREAD_FUNNELED. An error of MPI ends
/// the program with MPI's message, which is MPI's default.
class mpi_transport final : public transport {
 public:
  mpi_transport(int& argc, char**& argv) : argc_(&argc), argv_(&argv) {}
  /// `of` is the communicator to copy.
  explicit mpi_transport(MPI_Fint of) : argc_(nullptr), argv_(nullptr), of_(of) {}
  mpi_transport(const mpi_transport&) = delete;
  mpi_transport& operator=(const mpi_transport&) = delete;
  ~mpi_transport() override {
    if (!lives_) return;
    failed.fetch_add(1, std::memory_order_relaxed);
    living.fetch_sub(1, std::memory_order_relaxed);
  }

  void open() override {
    int was_initialised = 0;
    int was_finalised = 0;
    MPI_Initialized(&was_initialised);
    MPI_Finalized(&was_finalised);
    if (was_finalised != 0) throw error("cluster: MPI was finalised before, and begins once");
    int provided = MPI_THREAD_SINGLE;
    if (was_initialised == 0 && of_) {
      throw error("cluster: a communicator is given, and MPI has not been initialised");
    }
    if (was_initialised == 0) {
      MPI_Init_thread(argc_, argv_, MPI_THREAD_SERIALIZED, &provided);
      finalises_ = true;
      if (provided < MPI_THREAD_FUNNELED) {
        MPI_Finalize();
        throw error("cluster: this MPI knows no threads (MPI_THREAD_FUNNELED)");
      }
    } else {
      MPI_Query_thread(&provided);
      if (provided < MPI_THREAD_SERIALIZED) {
        throw error(
            "cluster: the program has initialised MPI itself, and must then have asked for "
            "MPI_THREAD_SERIALIZED or more");
      }
    }
    if (living.load(std::memory_order_relaxed) != 0 && provided < MPI_THREAD_MULTIPLE) {
      throw error(
          "cluster: a second cluster while another one lives in this process; the program must "
          "then have initialised MPI with MPI_THREAD_MULTIPLE");
    }
    any_thread_ = provided >= MPI_THREAD_SERIALIZED;
    // With this communicator, no message of the program is taken for one of the cluster.
    const MPI_Comm ranks = of_ ? MPI_Comm_f2c(*of_) : MPI_COMM_WORLD;
    if (ranks == MPI_COMM_NULL) {
      throw error(
          "cluster: the communicator is MPI_COMM_NULL. Only the ranks of a communicator make a "
          "cluster over it");
    }
    if (of_) {
      MPI_Comm_dup(ranks, &world_);
    } else {
      world_ = numbered_by_node(ranks);
    }
    int number = 0;
    MPI_Comm_rank(world_, &number);
    rank_ = static_cast<unsigned>(number);
    MPI_Comm_size(world_, &number);
    size_ = static_cast<unsigned>(number);
    if (size_ == 1 && !of_) say_if_alone_among_many();
    static const int registered =
        std::atexit(&end_job_at_exit) + std::at_quick_exit(&end_job_at_exit);
    static_cast<void>(registered);
    lives_ = true;
    living.fetch_add(1, std::memory_order_relaxed);
  }

  [[nodiscard]] unsigned rank() const noexcept override { return rank_; }
  [[nodiscard]] unsigned size() const noexcept override { return size_; }
  // MPI counts in int.
  [[nodiscard]] std::size_t most_bytes() const noexcept override {
    return std::numeric_limits<int>::max();
  }
  [[nodiscard]] bool any_thread_may_call() const noexcept override { return any_thread_; }

  void send(unsigned to, std::vector<std::byte> bytes) override {
    end_sends();
    requests_.push_back(MPI_REQUEST_NULL);
    sent_.push_back(std::move(bytes));
    MPI_Isend(sent_.back().data(), static_cast<int>(sent_.back().size()), MPI_BYTE,
              static_cast<int>(to), only_tag, world_, &requests_.back());
    end_sends();
  }
  [[nodiscard]] bool sending() const noexcept override { return !requests_.empty(); }

  bool poll(message& into) override {
    end_sends();
    int here = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, only_tag, world_, &here, &status);
    if (here == 0) return false;
    int count = 0;
    MPI_Get_count(&status, MPI_BYTE, &count);
    into.from = static_cast<unsigned>(status.MPI_SOURCE);
    into.bytes.resize(static_cast<std::size_t>(count));
    // Sends that are under way go on meanwhile, so two ranks that send each other much do not wait
    // in a cycle.
    MPI_Recv(into.bytes.data(), count, MPI_BYTE, status.MPI_SOURCE, only_tag, world_,
             MPI_STATUS_IGNORE);
    return true;
  }

  void rest(std::chrono::microseconds most) override {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, most, [this] { return interrupted_; });
    interrupted_ = false;
  }

  void interrupt() noexcept override {
    {
      const std::lock_guard lock(mutex_);
      interrupted_ = true;
    }
    changed_.notify_one();
  }

  void close() override {
    MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
    requests_.clear();
    sent_.clear();
    MPI_Comm_free(&world_);
    lives_ = false;
    living.fetch_sub(1, std::memory_order_relaxed);
    if (finalises_) MPI_Finalize();
  }

  void fail(const std::string& why) noexcept override { end_job(why); }

 private:
  // Frees the buffers of sends that have ended.
  void end_sends() {
    if (requests_.empty()) return;
    ended_.resize(requests_.size());
    int count = 0;
    MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, ended_.data(),
                 MPI_STATUSES_IGNORE);
    if (count == MPI_UNDEFINED || count == 0) return;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      if (kept != i) {
        requests_[kept] = requests_[i];
        sent_[kept] = std::move(sent_[i]);
      }
      ++kept;
    }
    requests_.resize(kept);
    sent_.resize(kept);
  }

  int* const argc_;
  char*** const argv_;
  const std::optional<MPI_Fint> of_;
  bool finalises_ = false;
  bool lives_ = false;  // from open to close
  bool any_thread_ = false;
  MPI_Comm world_ = MPI_COMM_NULL;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  std::vector<MPI_Request> requests_;
  std::vector<std::vector<std::byte>> sent_;
  std::vector<int> ended_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool interrupted_ = false;
};

}  // namespace

std::unique_ptr<transport> make_mpi_transport(int& argc, char**& argv) {
  return std::make_unique<mpi_transport>(argc, argv);
}

std::unique_ptr<transport> make_mpi_transport(int ranks) {
  return std::make_unique<mpi_transport>(static_cast<MPI_Fint>(ranks));
}

}  // namespace evencube::detail
