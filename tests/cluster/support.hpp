#pragma once

#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <evencube/cluster.hpp>
#include <evencube/cluster/local_network.hpp>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace evencube::test {

/// Ends the program unless the deadline goes out of scope in time. Ranks that wait for one another
/// for ever could not report it.
class rank_deadline {
 public:
  explicit rank_deadline(std::string what, std::chrono::seconds limit = std::chrono::minutes{5})
      : watcher_([this, limit, what = std::move(what)] {
          std::unique_lock lock(mutex_);
          if (changed_.wait_for(lock, limit, [this] { return over_; })) return;
          std::fprintf(stderr, "deadline of %lld s passed: %s\n",
                       static_cast<long long>(limit.count()), what.c_str());
          describe_runtimes(2);
          std::abort();
        }) {}
  rank_deadline(const rank_deadline&) = delete;
  rank_deadline& operator=(const rank_deadline&) = delete;
  ~rank_deadline() {
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_all();
    watcher_.join();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::thread watcher_;
};

/// Forwards to another transport, so that tests can change a part of it. It does not claim that
/// any thread may call it, or that it is sending. So only the progress thread calls it, and naps as
/// usual.
class forwarding_transport : public transport {
 public:
  explicit forwarding_transport(std::unique_ptr<transport> of) : of_(std::move(of)) {}

  [[nodiscard]] unsigned rank() const noexcept override { return of_->rank(); }
  [[nodiscard]] unsigned size() const noexcept override { return of_->size(); }
  [[nodiscard]] std::size_t most_bytes() const noexcept override { return of_->most_bytes(); }
  void send(unsigned to, std::vector<std::byte> bytes) override { of_->send(to, std::move(bytes)); }
  bool poll(message& into) override { return of_->poll(into); }
  void rest(std::chrono::microseconds most) override { of_->rest(most); }
  void interrupt() noexcept override { of_->interrupt(); }

 protected:
  transport& of() noexcept { return *of_; }

 private:
  const std::unique_ptr<transport> of_;
};

/// Returns the path of a file of a test, which does not exist.
inline std::string fresh_path(const std::string& name) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("evencube." + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::filesystem::remove(folder / name);
  return (folder / name).string();
}

/// Options for many ranks in one process: each has `workers` workers, which are not bound. The
/// balancer "lifelines" stands for "oem" with lifelines.
inline cluster_options small_ranks(const std::string& balancer = "oem", unsigned workers = 1) {
  cluster_options options;
  if (balancer != "lifelines") {
    options.balancer = balancer;
    options.sharing = cluster_sharing::rounds;
  }
  options.local.workers = workers;
  options.local.pin = false;
  // Tasks of tests are short, and have few bytes.
  options.message_seconds = 0;
  return options;
}

/// Runs a program on every rank of a network. Each rank is a thread with a cluster of its own.
/// Returns the exceptions of the ranks, null for none.
inline std::vector<std::exception_ptr> try_on_ranks(unsigned ranks,
                                                    const local_network::options& network,
                                                    const cluster_options& options,
                                                    const std::function<void(cluster&)>& program) {
  const rank_deadline deadline(std::to_string(ranks) + " ranks, seed " +
                               std::to_string(network.seed));
  local_network between(ranks, network);
  std::vector<std::exception_ptr> thrown(ranks);
  std::vector<std::thread> threads;
  for (unsigned k = 0; k < ranks; ++k) {
    threads.emplace_back([&, k] {
      try {
        cluster world(between.at(k), options);
        program(world);
      } catch (...) {
        thrown[k] = std::current_exception();
      }
    });
  }
  for (std::thread& each : threads) each.join();
  return thrown;
}

/// Runs a program on every rank like try_on_ranks(), if no rank may throw.
inline void on_ranks(unsigned ranks, const local_network::options& network,
                     const cluster_options& options, const std::function<void(cluster&)>& program) {
  for (const std::exception_ptr& each : try_on_ranks(ranks, network, options, program)) {
    if (each) std::rethrow_exception(each);
  }
}

inline std::string text_of(const std::exception_ptr& thrown) {
  if (!thrown) return "nothing";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::exception& problem) {
    return problem.what();
  }
}

}  // namespace evencube::test
