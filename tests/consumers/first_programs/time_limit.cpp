// Work that is given up after some time, and a wait that is.
#include <chrono>
#include <evencube/evencube.hpp>
#include <optional>

int main() {
  using namespace std::chrono_literals;
  evencube::runtime rt;
  const auto forever = evencube::run_for(rt, 20ms, [](const std::stop_token& token) {
    while (!token.stop_requested()) {
    }
  });
  const std::optional<int> soon = evencube::run_for(rt, 1h, [] { return 7; });
  evencube::task_group group(rt);
  group.spawn([] {});
  const bool waited = group.wait_for(1h).has_value();
  return forever == evencube::wait_status::stopped && soon == 7 && waited ? 0 : 1;
}
