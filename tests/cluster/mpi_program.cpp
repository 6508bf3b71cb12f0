// What mpi_test.py starts under mpirun: one behaviour of a cluster over MPI, named by the first
// argument.
// Open MPI's bindings for C++, which the standard has dropped, cause warnings by clang.
#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <mpi.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <evencube/balancers/plan_tools.hpp>
#include <evencube/balancers/registry.hpp>
#include <evencube/balancers/topology.hpp>
#include <evencube/cluster.hpp>
#include <evencube/cluster/mpi.hpp>
#include <exception>
#include <memory>
#include <mutex>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "random_program.hpp"

namespace {

using evencube::cluster;
using evencube::cluster_context;
using evencube::cluster_group;
using evencube::cluster_options;
using evencube::cluster_task;

constexpr std::uint64_t window = std::uint64_t{1} << 20;

struct node {
  std::uint64_t seed = 0;
  std::uint32_t depth = 0;
};

std::uint64_t mixed(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

std::uint64_t children_of(const node& at) { return at.depth == 0 ? 0 : mixed(at.seed) % 5; }
node child_of(const node& at, std::uint64_t c) { return {mixed(at.seed + c + 1), at.depth - 1}; }

std::uint64_t count_serially(const node& at) {
  std::uint64_t count = 1;
  for (std::uint64_t c = 0; c < children_of(at); ++c) count += count_serially(child_of(at, c));
  return count;
}

/// An uneven tree, a task for each node, on all ranks: each says what it has counted.
void count_tree(cluster& world) {
  cluster_task<node, std::uint64_t> visit;
  visit = world.task<node, std::uint64_t>("visit", [&](cluster_context& here, const node& at) {
    for (std::uint64_t c = 0; c < children_of(at); ++c) here.spawn(visit, child_of(at, c));
    return std::uint64_t{1};
  });
  const node root{1, 12};
  for (int repeat = 0; repeat < 3; ++repeat) {
    std::uint64_t count = 0;
    cluster_group jobs(world);
    if (world.rank() == 0) jobs.spawn(visit, root);
    jobs.wait([&](const node&, std::uint64_t one) { count += one; });
    std::printf("rank %u of %u counted %llu, all %llu\n", world.rank(), world.size(),
                static_cast<unsigned long long>(count),
                static_cast<unsigned long long>(count_serially(root)));
  }
}

/// Large arguments and results, from every rank to every other one.
void send_bytes(cluster& world) {
  using numbers = std::vector<std::uint32_t>;
  auto turn = world.task<numbers, numbers>(
      "turn", [](const numbers& from) { return numbers(from.rbegin(), from.rend()); });
  cluster_group jobs(world);
  for (unsigned to = 0; to < world.size(); ++to) {
    numbers all(std::size_t{2} << 20);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint32_t>(i) * (to + 1);
    jobs.spawn(turn, std::move(all), {.rank = to});
  }
  bool right = true;
  jobs.wait([&](const numbers& from, numbers&& to) {
    right = right && to == numbers(from.rbegin(), from.rend());
  });
  std::printf("rank %u: %s\n", world.rank(), right ? "as sent" : "NOT as sent");
}

/// Memory that nobody writes to, so that a vector of gigabytes costs none.
template <typename T>
struct untouched {
  using value_type = T;
  untouched() = default;
  template <typename U>
  explicit untouched(const untouched<U>&) noexcept {}
  [[nodiscard]] T* allocate(std::size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T* at, std::size_t count) noexcept { std::allocator<T>().deallocate(at, count); }
  template <typename U>
  void construct(U*) noexcept {}
  template <typename U, typename... A>
  void construct(U* at, A&&... from) {
    ::new (static_cast<void*>(at)) U(std::forward<A>(from)...);
  }
  friend bool operator==(const untouched&, const untouched&) { return true; }
};

/// More than a message can have, there and back.
void send_too_much(cluster& world) {
  using bytes = std::vector<char, untouched<char>>;
  constexpr std::size_t too_many = std::size_t{1} << 31;
  auto count = world.task<bytes, std::size_t>("count", [](const bytes& all) { return all.size(); });
  auto make = world.task<std::size_t, bytes>("make", [](std::size_t size) { return bytes(size); });
  cluster_group jobs(world);
  if (world.rank() == 0) {
    try {
      jobs.spawn(count, bytes(too_many), {.rank = 1});
    } catch (const std::length_error& problem) {
      std::printf("rank 0 refused: %s\n", problem.what());
    }
    jobs.spawn(make, too_many, {.rank = 1});
  }
  try {
    jobs.wait();
  } catch (const evencube::remote_error& problem) {
    std::printf("rank %u caught: %s\n", world.rank(), problem.what());
  }
}

/// Rounds under a hold, compared with the planner.
void hold(cluster& world, const std::string& balancer) {
  const auto graph = evencube::topology::cube(world.size());
  const auto planner = evencube::make_balancer(balancer);
  auto nothing = world.task<int, void>("nothing", [](int) {});
  bool right = true;
  std::uint64_t seed = 1;  // all ranks draw the same
  for (int i = 0; i < 20; ++i) {
    cluster_group jobs(world);
    {
      evencube::cluster_hold still(world);
      std::vector<evencube::load_type> loads(world.size());
      for (auto& each : loads) each = static_cast<evencube::load_type>(mixed(++seed) % 20);
      for (evencube::load_type j = 0; j < loads[world.rank()]; ++j) jobs.spawn(nothing, 1);
      const auto round = still.balance();
      evencube::plan expected;
      planner->make_plan({.graph = graph, .loads = loads, .seed = round.seed}, expected);
      right = right && round.loads == loads && round.planned == expected &&
              still.loads() == evencube::final_loads(expected, loads);
    }
    jobs.wait();
  }
  std::printf("rank %u: %s\n", world.rank(), right ? "as planned" : "NOT as planned");
}

/// A task on the last rank ends badly.
void fail(cluster& world, std::string_view how) {
  auto end = world.task<std::string, void>("end", [](const std::string& word) {
    if (word == "throw") throw std::runtime_error("disk full");
    if (word == "kill") std::raise(SIGKILL);
    if (word == "exit") std::_Exit(3);
    if (word == "_exit 0") std::_Exit(0);
    if (word == "exit 0") std::exit(0);  // NOLINT(concurrency-mt-unsafe)
    if (word == "quick_exit 0") std::quick_exit(0);
    if (word == "terminate") std::terminate();
    std::abort();
  });
  cluster_group jobs(world);
  if (world.rank() == 0) jobs.spawn(end, std::string(how), {.rank = world.size() - 1});
  try {
    jobs.wait();
  } catch (const evencube::remote_error& problem) {
    std::printf("rank %u caught: %s\n", world.rank(), problem.what());
  }
}

/// The last rank ends outside of tasks, with a status that says that all is well.
void end_outside(cluster& world, std::string_view how) {
  if (world.rank() + 1 == world.size()) {
    if (how == "exit outside") std::exit(0);  // NOLINT(concurrency-mt-unsafe)
    throw std::bad_alloc();
  }
  cluster_group jobs(world);
  jobs.wait();
}

/// The last rank gets a message that is longer than the memory that it may still have.
void run_out_of_memory(cluster& world) {
  using bytes = std::vector<char>;
  auto count = world.task<bytes, std::size_t>("count", [](const bytes& all) { return all.size(); });
  cluster_group jobs(world);
  if (world.rank() + 1 == world.size()) {
    std::FILE* const status = std::fopen("/proc/self/statm", "r");
    long pages = 0;
    if (status == nullptr || std::fscanf(status, "%ld", &pages) != 1) std::abort();
    const auto most = static_cast<rlim_t>(pages) * 4096 + (rlim_t{64} << 20);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_AS, &limit);
  }
  static_cast<void>(world.gather(1));
  if (world.rank() == 0) {
    jobs.spawn(count, bytes(std::size_t{200} << 20), {.rank = world.size() - 1});
  }
  jobs.wait();
}

/// The last rank is stopped. The others share what rank 0 has, and it goes on when they do.
void share_without_a_rank(cluster& world) {
  const std::vector<pid_t> processes = world.gather(getpid());
  std::atomic<bool> shared{false};
  auto wait = world.task<int, unsigned>("wait", [&](cluster_context& here, int) {
    while (here.rank() == 0 && !shared) std::this_thread::yield();
    return here.rank();
  });
  cluster_group jobs(world);
  if (world.rank() == 0) {
    kill(processes.back(), SIGSTOP);
    for (int i = 0; i < 100; ++i) jobs.spawn(wait, i);
  }
  jobs.wait([&](int, unsigned on) {
    if (on == 0 || shared.exchange(true)) return;
    kill(processes.back(), SIGCONT);
  });
  if (world.rank() == 0) std::printf("shared: %d\n", shared ? 1 : 0);
}

/// Rank 1 is stopped, and rank 0 spawns to it more than the window has room for.
void fill_the_window(cluster& world) {
  constexpr std::size_t bytes = 4096;
  constexpr int all = 2000;
  const std::vector<pid_t> processes = world.gather(getpid());
  auto length = world.task<std::string, std::size_t>(
      "length", [](const std::string& text) { return text.size(); });
  cluster_group jobs(world);
  std::size_t sum = 0;
  if (world.rank() == 0) {
    kill(processes[1], SIGSTOP);
    std::atomic<int> spawned{0};
    std::thread spawns([&] {
      for (; spawned < all; ++spawned) jobs.spawn(length, std::string(bytes, 'x'), {.rank = 1});
    });
    // Each counts for its bytes, the 8 of its length, and 128.
    const int room = static_cast<int>(window / (bytes + 136)) + 1;
    while (spawned < room) std::this_thread::yield();
    // Time enough for a spawn that does not wait.
    for (int i = 0; i < 100; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::printf("spawned: %d of %d\n", spawned.load(), room);
    kill(processes[1], SIGCONT);
    spawns.join();
  }
  jobs.wait([&](const std::string&, std::size_t one) { sum += one; });
  if (world.rank() == 0) std::printf("came: %d\n", sum == all * bytes ? 1 : 0);
}

/// A cluster of all ranks, one of each half of them, and calls of MPI by the program, all at once.
void use_communicators(const cluster_options& options) {
  int level = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  if (level < MPI_THREAD_MULTIPLE) {
    std::printf("no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return;
  }
  int rank = 0;
  int size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
  int sum = 0;
  {
    cluster of_all(MPI_COMM_WORLD, options);
    cluster of_half(half, options);
    auto twice = of_all.task<int, int>("twice", [](int i) { return 2 * i; });
    auto thrice = of_half.task<int, int>("thrice", [](int i) { return 3 * i; });
    std::thread own([&] {
      for (int i = 0; i < 100; ++i) {
        const int one = 1;
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      }
    });
    int twos = 0;
    int threes = 0;
    for (int repeat = 0; repeat < 20; ++repeat) {
      cluster_group all(of_all);
      cluster_group some(of_half);
      for (unsigned to = 0; to < of_all.size(); ++to) all.spawn(twice, 1, {.rank = to});
      for (unsigned to = 0; to < of_half.size(); ++to) some.spawn(thrice, 1, {.rank = to});
      all.wait([&](int, int two) { twos += two; });
      some.wait([&](int, int three) { threes += three; });
    }
    own.join();
    std::printf("rank %d of %d, rank %u of %u in its half: %d, %d, %d\n", rank, size,
                of_half.rank(), of_half.size(), twos, threes, sum);
  }
  try {
    const cluster none(MPI_Comm{MPI_COMM_NULL}, options);
  } catch (const evencube::error& problem) {
    std::printf("rank %d refused: %s\n", rank, problem.what());
  }
  MPI_Comm_free(&half);
  MPI_Finalize();
}

/// A process that stops this one for a while whenever it is asked to. Made before MPI begins.
class stopper {
 public:
  stopper() {
    if (pipe(ends_) != 0) std::abort();
    const pid_t stopped = getpid();
    if (fork() != 0) {
      close(ends_[0]);
      return;
    }
    close(ends_[1]);
    char asked = 0;
    while (read(ends_[0], &asked, 1) == 1) {
      kill(stopped, SIGSTOP);
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      kill(stopped, SIGCONT);
    }
    std::_Exit(0);
  }
  stopper(const stopper&) = delete;
  stopper& operator=(const stopper&) = delete;
  ~stopper() { close(ends_[1]); }

  void stop() const {
    if (write(ends_[1], "s", 1) != 1) std::abort();
  }

 private:
  int ends_[2] = {};
};

void end_process(std::string_view how) {
  if (how == "exit") std::exit(0);  // NOLINT(concurrency-mt-unsafe)
  if (how == "quick_exit") std::quick_exit(0);
  if (how == "_exit") std::_Exit(0);
  if (how == "kill") std::raise(SIGKILL);
  if (how == "terminate") std::terminate();
  std::abort();
}

/// `SEED FAULT RANK TASK`: the random program of that seed, in which a rank has a fault.
int run_random_program(int argc, char** argv) {
  namespace random_ranks = evencube::test::random_ranks;
  if (argc != 6) return 2;
  const std::uint64_t seed = std::stoull(argv[2]);
  const std::string_view what = argv[3];
  random_ranks::fault harm{static_cast<unsigned>(std::stoul(argv[4])), std::stoull(argv[5])};
  std::unique_ptr<stopper> stops;
  if (what == "stop") {
    stops = std::make_unique<stopper>();
    harm.strike = [&] { stops->stop(); };
  } else if (what != "none") {
    harm.strike = [&] { end_process(what); };
  }
  cluster world(argc, argv, random_ranks::drawn_program(seed).options);
  const random_ranks::program of = random_ranks::drawn_program(seed, world.size());
  random_ranks::ledger own;
  std::mutex mutex;
  static_cast<void>(random_ranks::rank_run(world, of, harm, own, mutex).run());
  random_ranks::ledger all;
  all.thrown = world.gather(own.thrown).front();
  all.least = world.gather(own.least).front();
  all.wrong = own.wrong;
  for (const auto& each : world.gather(own.ran)) {
    all.ran.insert(all.ran.end(), each.begin(), each.end());
  }
  for (const auto& each : world.gather(own.cells)) {
    for (const auto& [cell, sum] : each) all.cells[cell] += sum;
  }
  for (const auto& each : world.gather(own.came)) {
    all.came.insert(all.came.end(), each.begin(), each.end());
  }
  random_ranks::compare(of, all);
  for (const std::string& each : all.wrong) std::printf("wrong: %s\n", each.c_str());
  std::printf("rank %u has done %zu of %zu tasks\n", world.rank(), own.ran.size(), all.ran.size());
  return all.wrong.empty() ? 0 : 1;
}

void register_otherwise(cluster& world) {
  auto f = [](int i) { return i; };
  static_cast<void>(world.task<int, int>(world.rank() == 1 ? "shade" : "render", f));
  const cluster_group jobs(world);
}

/// Rank 0 computes for two seconds, and the others wait: how much processor time that takes them.
void wait_idly(cluster& world) {
  auto compute = world.task<int, void>("compute", [](int) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
  });
  const auto used = [] {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
  };
  cluster_group jobs(world);
  const double before = used();
  const auto began = std::chrono::steady_clock::now();
  if (world.rank() == 0) jobs.spawn(compute, 1);
  jobs.wait();
  const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - began;
  if (world.rank() != 0) {
    std::printf("idle: %.1f %% of a processor\n", (used() - before) / waited.count() * 100);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "tree";
  cluster_options options;
  if (argc > 2 && std::string_view{argv[2]} != "lifelines") {
    options.balancer = argv[2];
    options.sharing = evencube::cluster_sharing::rounds;
  }
  options.local.workers = 1;
  options.local.pin = false;    // ranks share the processors of this machine
  options.message_seconds = 0;  // tasks of the tree are short, and move all the same
  options.window_bytes = window;
  try {
    if (what == "end of main") {
      // Never destroyed, as by a program that forgets it.
      static cluster* forgotten = nullptr;
      forgotten = new cluster(argc, argv, options);
      return forgotten->size() > 0 ? 0 : 1;
    }
    if (what == "communicators") {
      use_communicators(options);
      return 0;
    }
    if (what == "random") return run_random_program(argc, argv);
    cluster world(argc, argv, options);
    if (what == "exit outside" || what == "throw outside") {
      end_outside(world, what);
    } else if (what == "memory") {
      run_out_of_memory(world);
    } else if (what == "tree") {
      count_tree(world);
    } else if (what == "hold") {
      hold(world, options.balancer);
    } else if (what == "huge") {
      send_too_much(world);
    } else if (what == "bytes") {
      send_bytes(world);
    } else if (what == "stopped") {
      share_without_a_rank(world);
    } else if (what == "window") {
      fill_the_window(world);
    } else if (what == "unequal") {
      register_otherwise(world);
    } else if (what == "idle") {
      wait_idly(world);
    } else {
      fail(world, what);
    }
  } catch (const std::bad_alloc& failure) {
    // With a status of 1, mpirun could end the others before they have said what they learned.
    std::printf("%s\n", failure.what());
    return 0;
  } catch (const std::exception& problem) {
    std::printf("%s\n", problem.what());
    return 1;
  }
  return 0;
}
