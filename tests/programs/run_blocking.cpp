#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "execution.hpp"

namespace evencube::programs {

void execution::in_scope(const step& s, const surroundings& around) {
  // In a scope it could wait for the runtime whose only worker it blocks.
  if (around.elsewhere) return;
  const bool is_task = this_task::worker().has_value();
  if (mistaken(mistake::stay_inside)) {
    run_block(s.inner[0], around);
    if (this_task::worker()) fail("a task in a blocking scope is a worker");
    return;
  }
  // Its place in an arena is another's meanwhile.
  surroundings outside = around;
  outside.inside = nullptr;
  blocking([&] {
    if (this_task::worker()) fail("a task in a blocking scope is a worker");
    run_block(s.inner[0], outside);
  });
  if (this_task::worker().has_value() != is_task)
    fail("a task is no worker after its blocking scope");
}

// The first iteration blocks for all later ones.
void execution::block_for_a_loop() {
  constexpr int iterations = 8;
  std::atomic<int> ran{0};
  parallel_for(0, iterations,
               [&](int i) {
                 if (i != 0) {
                   ran.fetch_add(1, std::memory_order_relaxed);
                   return;
                 }
                 blocking([&] {
                   while (ran.load(std::memory_order_relaxed) < iterations - 1)
                     std::this_thread::yield();
                 });
               },
               {.grain = 1});
}

void execution::meet(const step& s) {
  // One meeting at a time in each runtime: two halves of two might wait for ever.
  const std::lock_guard alone(meetings_[at(s.of)]);
  const std::shared_ptr<limited> in = s.places != 0 ? arena_of(s) : nullptr;
  std::optional<task_group> made;
  task_group& group = in != nullptr ? made.emplace(in->limit) : made.emplace(on(s.of));
  std::atomic<int> come{0};
  std::vector<int> left(at(s.amount));  // plain, see ticket
  const surroundings own_place{.stops = &ends_[at(s.of)].asked, .where = s.of};
  for (int i = 0; i < s.amount; ++i) {
    group.spawn(
        [this, &s, &come, &left, &own_place, i] {
          const bool all = s.variant == of_all;
          const bool loops = s.variant == with_its_loop;
          if (all || loops) begun_[at(s.inner[0].id)].fetch_add(1, std::memory_order_relaxed);
          if (loops) {
            block_for_a_loop();
            ++left[at(i)];
            return;
          }
          blocking([&] {
            if (all) {
              come.fetch_add(1, std::memory_order_relaxed);
              while (come.load(std::memory_order_relaxed) < s.amount) std::this_thread::yield();
              return;
            }
            if (s.variant == with_its_group) {
              task_group own(on(s.of));
              own.spawn([&] { run_task(s.inner[0], s.of, own_place); });
              static_cast<void>(own.wait());
              return;
            }
            if (s.variant == with_its_run) {
              call(s.inner[0], [&] {
                return on(s.of).run([&] { return run_task(s.inner[0], s.of, own_place); });
              });
              return;
            }
            call(s.inner[0], [&] {
              return on(s.of).async([&] { return run_task(s.inner[0], s.of, own_place); }).get();
            });
          });
          ++left[at(i)];
        },
        options_of(s));
  }
  group.wait();
  for (const int n : left) {
    if (n != 1) fail("a task that blocked ended " + std::to_string(n) + " times");
  }
}

}  // namespace evencube::programs
