#include "queues/injector.hpp"

#include "../common/on_evencube.hpp"
#include "config.hpp"

namespace {

struct ring : evencube::detail::basic_injector<> {
  ring() : basic_injector(bench::injector::capacity) {}
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::injector::about, {"evencube"}, argc, argv,
                        [](auto& with) { return bench::injector::measure<ring>(with); });
}
