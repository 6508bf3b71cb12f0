#include <evencube/interop/stdexec.hpp>

#include "../common/on_evencube.hpp"
#include "config.hpp"

int main(int argc, char** argv) {
  return bench::main_of(bench::senders::about, bench::on_evencube, argc, argv, [](auto& with) {
    evencube::runtime rt{bench::evencube_options(with)};
    return bench::senders::measure(with, evencube::stdexec_scheduler(rt));
  });
}
