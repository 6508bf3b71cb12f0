// What a program of one's own recorded becomes a file that is read again as it was.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>

#include <evencube/blocking.hpp>
#include <evencube/evencube.hpp>
#include <evencube/interop/trace_of.hpp>
#include <evencube/region.hpp>

namespace evencube::testing {
namespace {

traces::trace written_and_read(const traces::trace& made) {
  std::stringstream file;
  traces::write_trace(made, [&](std::span<const std::uint8_t> bytes) {
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
  });
  const std::uint64_t size = file.str().size();
  return traces::read_trace(file, size, "mine");
}

TEST(trace_of_a_recording, has_what_was_recorded) {
  const runtime_options options{.workers = 3, .balancer = "dem", .mode = balancer_mode::on_idle};
  runtime rt(options);
  rt.start_recording();
  rt.run([] {
    const trace_region phase("phase");
    task_group group;
    for (int i = 0; i < 200; ++i)
      group.spawn([] { trace_counter("here", 1); }, {.cost = 2, .name = "small"});
    group.wait();
  });
  const recording take = rt.stop_recording();
  const traces::trace made = traces::trace_of(take, rt, options, "mine");
  EXPECT_EQ(made.workload, "mine");
  EXPECT_EQ(made.balancer, "dem");
  EXPECT_EQ(made.mode, "on_idle");
  EXPECT_EQ(made.topology, "cube:3");
  EXPECT_EQ(made.tasks.size(), take.tasks.size());
  EXPECT_EQ(made.tasks.size(), 201U);
  EXPECT_EQ(made.waits.size(), take.waits.size());
  EXPECT_EQ(made.migrations.size(), take.migrations.size());
  EXPECT_EQ(made.rounds.size(), take.rounds.size());
  EXPECT_EQ(made.regions.size(), 1U);
  EXPECT_EQ(made.counts.size(), 200U);
  EXPECT_EQ(made.tasks.front().spawned, 0U);
  EXPECT_EQ(written_and_read(made), made);
}

TEST(trace_of_a_recording, may_be_empty) {
  const runtime_options options{.workers = 2};
  runtime rt(options);
  rt.start_recording();
  const traces::trace made = traces::trace_of(rt.stop_recording(), rt, options);
  EXPECT_TRUE(made.tasks.empty());
  EXPECT_EQ(written_and_read(made), made);
}

TEST(trace_of_a_recording, with_tasks_of_spare_workers_is_refused) {
  const runtime_options options{.workers = 1, .spare_workers = 1};
  runtime rt(options);
  rt.start_recording();
  std::atomic<bool> ran{false};
  // The only worker blocks until the other task has run, so the spare worker runs it.
  auto blocked = rt.async([&] {
    const blocking_scope here;
    while (!ran) std::this_thread::yield();
  });
  auto other = rt.async([&] { ran = true; });
  other.wait();
  blocked.wait();
  const recording take = rt.stop_recording();
  EXPECT_THROW((void)traces::trace_of(take, rt, options), std::invalid_argument);
}

}  // namespace
}  // namespace evencube::testing
