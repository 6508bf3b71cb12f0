#include <exec/static_thread_pool.hpp>
#include <stdexec/execution.hpp>

namespace {

int depth(exec::static_thread_pool& pool, int n) {
  if (n == 0) return 0;
  auto work = stdexec::schedule(pool.get_scheduler()) |
              stdexec::then([&pool, n] { return 1 + depth(pool, n - 1); });
  const auto [result] = stdexec::sync_wait(std::move(work)).value();
  return result;
}

}  // namespace

int main() {
  exec::static_thread_pool pool(2);
  return depth(pool, 10) == 10 ? 0 : 1;
}
