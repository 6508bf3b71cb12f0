// What `evencube` goes on as with --cluster: one rank of an MPI program, or the only one.
#include "console.hpp"
#include "interruption.hpp"
#include "ranks_application.hpp"

int main(int count, char** arguments) {
  evencube::cli::occupy_standard_streams();
  evencube::cli::clean_up_on_signals();
  evencube::cli::describe_on_signal();
  return evencube::cli::run_as_rank(count, arguments);
}
