// A thread of the program's own hands a value over; tasks may block for it.
#include <evencube/evencube.hpp>
#include <thread>

int main() {
  evencube::runtime rt({.workers = 2, .spare_workers = 1});
  evencube::promise<int> answer(rt);
  auto asked = answer.get_future();
  std::thread reader([&] { answer.set_value(42); });
  const int got = rt.run([&] { return evencube::blocking([&] { return asked.get(); }); });
  reader.join();
  return got == 42 ? 0 : 1;
}
