// A loop that stops when its result is no longer wanted.
#include <atomic>
#include <evencube/evencube.hpp>
#include <stop_token>

int main() {
  evencube::runtime rt;
  std::stop_source user;
  std::atomic<long> rows{0};
  const evencube::wait_status ended =
      evencube::parallel_for(evencube::on(rt, user.get_token()), 0, 1'000'000'000, [&](int) {
        if (++rows == 1000) user.request_stop();
      });
  return ended == evencube::wait_status::stopped && rows < 1'000'000'000 ? 0 : 1;
}
