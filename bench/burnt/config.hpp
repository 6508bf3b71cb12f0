#pragma once

#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "../common/program.hpp"
#include "../common/spin_clock.hpp"

namespace bench::burnt {

inline const workload about{
    "burnt",
    "phase",
    {{"phases", "1000", "20", "how many parallel loops, serial code before each"},
     {"gap", "200", "50", "microseconds that the serial code takes"},
     {"items", "2", "2", "items of a loop, for each worker"},
     {"item", "20", "2", "microseconds that an item keeps its worker busy"},
     {"runtimes", "1", "1", "how many runtimes do that at once, each for a thread of its own"},
     {"rest", "0", "10", "milliseconds without any work after the phases"},
     {"counted", "all", "all", "whether the phases count, or the rest alone", {"all", "rest"}},
     {"quota", "0", "0",
      "hundredths of a processor that a control group gives to the program; 0: no such group"}}};

/// Processor time of all the threads of this process so far.
inline double cpu_seconds() {
  // For a thread that is running, the system adds it up at its ticks, some milliseconds apart, and
  // whenever the thread's own clock is read.
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
    const auto number = static_cast<unsigned>(std::stoul(thread.path().filename()));
    timespec unused{};
    // The id that the kernel has for the clock of a thread of any number.
    clock_gettime(static_cast<clockid_t>((~number << 3) | 6), &unused);
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// A control group below that of this process, which the process is in while this object lives.
class limited {
 public:
  explicit limited(std::uint64_t hundredths) {
    if (hundredths == 0) return;
    const std::string quota = std::to_string(hundredths * 1000);
    std::ifstream groups("/proc/self/cgroup");
    for (std::string line; std::getline(groups, line) && folder_.empty();) {
      const auto names = line.find(':') + 1;
      const auto path = line.find(':', names) + 1;
      const std::string controllers = line.substr(names, path - 1 - names);
      if (controllers.empty()) {
        enter("/sys/fs/cgroup" + line.substr(path), "cpu.max", quota + " 100000");
      } else if (controllers.find("cpu") == 0 && controllers.find("cpuset") == std::string::npos) {
        enter("/sys/fs/cgroup/" + controllers + line.substr(path), "cpu.cfs_quota_us", quota);
      }
    }
    if (folder_.empty()) throw std::runtime_error("--quota: no control group may be made here");
  }
  limited(const limited&) = delete;
  limited& operator=(const limited&) = delete;
  ~limited() {
    if (folder_.empty()) return;
    write(folder_.parent_path() / "cgroup.procs", "0");
    ::rmdir(folder_.c_str());
  }

  /// How often the system has stopped the program to keep the limit.
  [[nodiscard]] std::uint64_t throttled() const {
    std::ifstream stat(folder_ / "cpu.stat");
    std::uint64_t value = 0;
    for (std::string name; stat >> name >> value;) {
      if (name == "nr_throttled") return value;
    }
    return 0;
  }

 private:
  static bool write(const std::filesystem::path& file, const std::string& text) {
    std::ofstream out;
    if (std::filesystem::exists(file)) out.open(file);
    out << text << std::flush;
    return out.is_open() && out;
  }
  void enter(const std::filesystem::path& parent, const char* limit, const std::string& quota) {
    const auto folder = parent / ("evencube-bench-" + std::to_string(::getpid()));
    std::error_code refused;
    if (!std::filesystem::create_directory(folder, refused)) return;
    if (write(folder / limit, quota) && write(folder / "cgroup.procs", "0")) {
      folder_ = folder;
    } else {
      ::rmdir(folder.c_str());
    }
  }

  std::filesystem::path folder_;
};

/// Each thread makes `Runtime(with)` and calls its member run(n, body), which calls body(i) for
/// every i < n in parallel. Measured: the processor seconds beyond those of the serial code and the
/// items.
template <typename Runtime>
int measure(program& with) {
  const limited group(with.number("quota"));
  const spin_clock clock;
  const auto gap = clock.ticks(static_cast<double>(with.number("gap")));
  const auto item = clock.ticks(static_cast<double>(with.number("item")));
  const std::size_t phases = with.number("phases");
  const std::size_t items = with.number("items") * with.workers();
  const std::size_t runtimes = with.number("runtimes");
  const auto rest = std::chrono::milliseconds(with.number("rest"));
  const bool all = with.word("counted") == "all";
  const double useful =
      1e-6 *
      static_cast<double>(phases * runtimes * (with.number("gap") + items * with.number("item")));
  std::vector<std::unique_ptr<Runtime>> made;
  for (std::size_t k = 0; k < runtimes; ++k) made.push_back(std::make_unique<Runtime>(with));
  std::atomic<std::size_t> ran{0};
  const auto run_phases = [&](Runtime& rt) {
    for (std::size_t k = 0; k < phases; ++k) {
      spin_clock::spin(gap);
      rt.run(items, [&](std::size_t) {
        spin_clock::spin(item);
        ran.fetch_add(1, std::memory_order_relaxed);
      });
    }
  };
  return with.measure({
      .units = static_cast<double>(phases * runtimes),
      .prepare = [&] { ran = 0; },
      .run =
          [&] {
            double before = cpu_seconds();
            std::vector<std::thread> others;
            for (std::size_t k = 1; k < runtimes; ++k) {
              others.emplace_back([&, k] { run_phases(*made[k]); });
            }
            run_phases(*made[0]);
            for (std::thread& other : others) other.join();
            if (!all) before = cpu_seconds();
            std::this_thread::sleep_for(rest);
            return std::max(cpu_seconds() - before - (all ? useful : 0), 0.0);
          },
      .verify =
          [&] {
            return ran == phases * runtimes * items ? std::string()
                                                    : std::to_string(ran.load()) + " items ran";
          },
      .details =
          [&] {
            return "\"useful_seconds\": " + std::to_string(all ? useful : 0) +
                   ", \"throttled\": " + std::to_string(group.throttled());
          },
  });
}

}  // namespace bench::burnt
