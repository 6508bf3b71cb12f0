#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

bench::engine bound_or_not() {
  bench::engine made = bench::on_evencube;
  made.settings.push_back(
      {"pinned", "yes", "yes", "whether workers are bound to units", {"no", "yes"}});
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::wakeup::about, bound_or_not(), argc, argv, [](auto& with) {
    evencube::runtime_options options = bench::evencube_options(with);
    options.pin = with.word("pinned") == "yes";
    evencube::runtime rt{options};
    return bench::wakeup::measure(with, [&](bench::wakeup::meeting& all) {
      rt.run([&] {
        evencube::task_group group;
        for (unsigned i = 0; i < with.workers(); ++i) group.spawn([&] { all.attend(); });
        group.wait();
      });
    });
  });
}
