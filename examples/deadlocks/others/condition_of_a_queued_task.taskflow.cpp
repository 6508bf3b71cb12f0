#include <chrono>
#include <future>
#include <taskflow/taskflow.hpp>
#include <vector>

int main() {
  using namespace std::chrono_literals;
  constexpr std::size_t links = 6;
  tf::Executor executor(2);
  std::vector<std::promise<void>> done(links + 1);
  std::vector<std::future<void>> before;
  for (auto& one : done) before.push_back(one.get_future());
  tf::Taskflow flow;
  for (std::size_t k = 0; k < links; ++k) {
    tf::Task wait = flow.emplace([&, k] {
      executor.corun_until([&] { return before[k].wait_for(1ms) == std::future_status::ready; });
    });
    tf::Task fulfil = flow.emplace([&, k] { done[k + 1].set_value(); });
    wait.precede(fulfil);
  }
  auto all = executor.run(flow);
  done[0].set_value();
  all.wait();
}
