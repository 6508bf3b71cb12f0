// Commands on machines that have too little of some resource. Each command ends soon, with a result
// or with an error message, and does not harm existing files.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#if __has_include(<oneapi/tbb/version.h>)
#include <oneapi/tbb/version.h>
#endif

#include "../workloads/test_images.hpp"
#include "program.hpp"

namespace evencube::cli::testing {
namespace {

using ::testing::AnyOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using workloads::testing::file_bytes;
using workloads::testing::put_file;
using workloads::testing::scratch_folder;
using workloads::testing::text_bytes;

class starved : public ::testing::Test {
 protected:
  starved() {
    EXPECT_EQ(
        evencube({"run", "spin", "--size", "50", "--workers", "2", "--trace", folder_ / "good"})
            .status,
        0);
    for (const char* const name : {"o.png", "o.trace", "o.json", "o.html", "o.svg"}) {
      put_file(folder_ / name, text_bytes("precious"));
    }
  }

  /// Runs the command in the folder under a limit of the shell's `ulimit`, with a deadline.
  outcome under(const std::string& limit, const std::string& command) {
    return shell("cd '" + folder_.path().string() + "' && ulimit " + limit +
                 " && exec timeout 60 \"$0\" " + command);
  }

  /// Runs the command under a file-size limit of `blocks` times 512 bytes. The messages go through
  /// a pipe, so that the limit does not cut them.
  outcome under_file_size(const std::string& blocks, const std::string& command) {
    return shell("problem=$(cd '" + folder_.path().string() + "' && ulimit -f " + blocks +
                 " && exec timeout 60 \"$0\" " + command +
                 " 2>&1 > /dev/null); status=$?; printf %s \"$problem\" >&2; exit $status");
  }

  /// Runs the command as an ordinary user with at most `count` processes and threads, because root
  /// may have any number.
  outcome under_processes(const std::string& count, const std::string& command) {
    return shell("cd '" + folder_.path().string() + "' && exec timeout 60 " + ordinary_user() +
                 "prlimit --nproc=" + count + " \"$0\" " + command);
  }

  /// Words before a command that make root an ordinary user.
  static std::string ordinary_user() {
    return ::geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  }

  /// Runs every command under the limit of `ulimit`.
  void expect_order(const std::string& limit) {
    expect_order(limit, [&](const std::string& command) { return under(limit, command); });
  }

  void expect_order_under_file_size(const std::string& blocks) {
    expect_order("-f " + blocks,
                 [&](const std::string& command) { return under_file_size(blocks, command); });
  }

  /// Runs every command by `run`.
  void expect_order(const std::string& limit,
                    const std::function<outcome(const std::string&)>& run) {
    for (const std::string command :
         {"--version", "balancers", "plan dem --loads 15,1,1,1", "topology",
          "run spin --size 50 --workers 2", "run edges --size 512 --workers 2 --output o.png",
          "run edges --size 512 --workers 2 --trace o.trace",
          "run matmul --size 128 --workers 2 --tile 32", "simulate batch",
          "simulate fork-join --replications 2", "reproduce loh-table-1 --no-plots --output r",
          "whatif good --balancer none,oem", "trace good --perfetto o.json --html o.html",
          "speedup spin --size 50 --workers 1,2 --repeat 1 --plot o.svg",
          "demo --size 128 --repeat 1 --folder d"}) {
      const auto result = run(command);
      SCOPED_TRACE(limit + ": " + command + " -> " + std::to_string(result.status));
      if (result.status == 127) {  // the system could not even load the program
        EXPECT_THAT(result.err, HasSubstr("error while loading shared libraries"));
      } else {
        EXPECT_THAT(result.status, AnyOf(0, 1, 2)) << result.err;
        EXPECT_EQ(result.status == 0, result.err.empty()) << result.err;
        if (!result.err.empty()) {
          EXPECT_THAT(result.err, StartsWith("evencube: "));
        }
        succeeded_ += result.status == 0 ? 1 : 0;
      }
      for (const std::string name : {"o.png", "o.trace", "o.json", "o.html", "o.svg"}) {
        const auto content = file_bytes(folder_ / name);
        // The command writes two files, and one may fit while the other does not.
        const bool first_of_two = name == "o.json" && nlohmann::json::accept(content);
        if (result.status != 0 && !first_of_two) {
          EXPECT_EQ(content, text_bytes("precious")) << name;
        }
        put_file(folder_ / name, text_bytes("precious"));
      }
      EXPECT_THAT(folder_.names(), Not(Contains(StartsWith(".evencube"))));
    }
  }

  scratch_folder folder_;
  int succeeded_ = 0;
};

TEST_F(starved, of_address_space) {
  std::vector<int> megabytes{10, 18, 22, 26, 30, 40, 60, 90, 130, 200, 300, 400, 600, 1000};
  // The allocator of oneTBB 2022 crashes at 13 to 14 MB while the system loads it, before any code
  // of the program runs.
#if !defined(TBB_VERSION_MAJOR) || TBB_VERSION_MAJOR < 2022
  megabytes.push_back(14);
#endif
  for (const int limit : megabytes) expect_order("-v " + std::to_string(limit) + "000");
  succeeded_ = 0;
  expect_order("-v 2000000");
  EXPECT_EQ(succeeded_, 15);
}

// The limit grows in small steps: the first allocation of a new thread may be the first that fails.
TEST_F(starved, of_address_space_for_threads) {
  for (int kilobytes = 20'000; kilobytes < 34'000; kilobytes += 100) {
    const auto result =
        under("-v " + std::to_string(kilobytes), "run spin --size 50 --workers 8 --no-verify");
    EXPECT_THAT(result.status, AnyOf(0, 1, 2)) << kilobytes << ": " << result.err;
  }
}

TEST_F(starved, of_stack) {
  for (const char* const kilobytes : {"64", "100", "200", "400"}) {
    expect_order(std::string{"-s "} + kilobytes);
  }
  EXPECT_EQ(succeeded_, 4 * 15);
}

TEST_F(starved, of_file_size) {
  for (const char* const blocks : {"0", "2", "16", "64"}) {
    expect_order_under_file_size(blocks);
  }
  EXPECT_GE(succeeded_, 4 * 7);  // the commands that write no file
  succeeded_ = 0;
  expect_order_under_file_size("20000");
  EXPECT_EQ(succeeded_, 15);
}

TEST_F(starved, of_processes) {
  std::filesystem::permissions(folder_.path(), std::filesystem::perms::all);
  for (const auto& name : folder_.names()) {
    std::filesystem::permissions(folder_ / name, std::filesystem::perms::all);
  }
  if (under_processes("1000", "--version").status != 0) {
    GTEST_SKIP() << "an ordinary user cannot be made, or may not run the program";
  }
  for (const std::string count : {"1", "2", "3", "5"}) {
    expect_order(count,
                 [&](const std::string& command) { return under_processes(count, command); });
  }
  const auto alone = under_processes("1", "run spin --size 50 --workers 2");
  EXPECT_EQ(alone.status, 1);
  EXPECT_THAT(alone.err,
              HasSubstr("cannot start 2 worker threads: Resource temporarily unavailable"));
}

TEST_F(starved, of_open_files) {
  // The number of files that are already open depends on the caller of the test.
  for (const char* const files : {"4", "5", "6", "8", "12", "32", "64", "128"}) {
    expect_order(std::string{"-n "} + files);
  }
  EXPECT_GE(succeeded_, 3 * 15);
}

// Only matmul needs OpenBLAS. OpenBLAS used to start threads before main() and to wait for them for
// ever at the end; when computing a product, it waits for ever for memory that is not available.
TEST_F(starved, of_memory_for_openblas) {
  EXPECT_EQ(under("-v 150000", "--version").status, 0);
  const auto product = under("-v 110000", "run matmul --workers 2");
  EXPECT_EQ(product.status, 2);
  EXPECT_EQ(product.err, "evencube: run matmul: this needs more memory than is available\n");
}

TEST_F(starved, the_option_or_the_file_that_asked_for_too_much_is_named) {
  EXPECT_THAT(under("-v 100000", "run edges --size 8192").err,
              StartsWith("evencube: --size 8192:"));
  EXPECT_THAT(under("-v 100000", "demo --size 8192 --folder d").err, HasSubstr("--size 8192:"));
  EXPECT_THAT(under("-v 200000", "simulate mm1-array --topology hypercube:22").err,
              HasSubstr("simulate mm1-array --topology hypercube:22:"));
  auto picture = text_bytes("P5 6000 6000 255\n");
  picture.resize(picture.size() + 36'000'000, 7);
  put_file(folder_ / "large.pgm", picture);
  // The limit has room for the file and two workers, but by far not for the picture in addition.
  const auto read = under("-v 75000", "run edges --input large.pgm");
  EXPECT_EQ(read.status, 2);
  EXPECT_EQ(read.err, "evencube: large.pgm: this needs more memory than is available\n");
}

}  // namespace
}  // namespace evencube::cli::testing
