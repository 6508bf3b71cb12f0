#include "application.hpp"
#include "console.hpp"
#include "interruption.hpp"
#include "ranks_program.hpp"

int main(int count, char** arguments) {
  evencube::cli::occupy_standard_streams();
  evencube::cli::go_on_as_ranks_program(count, arguments);
  evencube::cli::clean_up_on_signals();
  evencube::cli::describe_on_signal();
  return evencube::cli::run_application(count, arguments);
}
