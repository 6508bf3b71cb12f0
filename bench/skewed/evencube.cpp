#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::skewed::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    // Of a program that says what its tasks cost.
    const std::uint32_t hint = with.word("hints") == "yes" ? bench::skewed::tasks::times : 1;
    return bench::skewed::measure(with, [&](bench::skewed::tasks& all) {
      rt.run([&] {
        evencube::task_group group;
        for (std::size_t i = 0; i < all.size(); ++i) {
          // Two functions, as programs have for what is long and what is short.
          if (all.is_long(i)) {
            group.spawn([&all, i] { all.run(i); }, {.cost = hint, .home = 0});
          } else {
            group.spawn([&all, i] { all.run(i); }, {.home = 0});
          }
        }
        group.wait();
      });
    });
  });
}
