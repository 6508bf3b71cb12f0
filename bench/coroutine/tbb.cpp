#include "../fib/on_tbb.hpp"

#include "config.hpp"

int main(int argc, char** argv) {
  return bench::fib::main_on_tbb(bench::coroutine::about, argc, argv);
}
