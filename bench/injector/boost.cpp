#include <boost/lockfree/queue.hpp>
#include <cstdint>

#include "config.hpp"

namespace {

class boost_queue {
 public:
  bool push(std::uint64_t word) { return words_.bounded_push(word); }
  std::uint64_t take() {
    std::uint64_t word = 0;
    return words_.pop(word) ? word : 0;
  }

 private:
  // All nodes there from the beginning: neither of the two allocates.
  boost::lockfree::queue<std::uint64_t, boost::lockfree::fixed_sized<true>> words_{
      bench::injector::capacity};
};

}  // namespace

int main(int argc, char** argv) {
  return bench::main_of(bench::injector::about, {"boost"}, argc, argv,
                        [](auto& with) { return bench::injector::measure<boost_queue>(with); });
}
