#include "on_tbb.hpp"

int main(int argc, char** argv) { return bench::fib::main_on_tbb(bench::fib::about, argc, argv); }
