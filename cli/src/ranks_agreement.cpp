#include "ranks_agreement.hpp"

#include <exception>
#include <new>

#include "console.hpp"
#include "failure.hpp"

namespace evencube::cli {

verdict verdict_now() {
  try {
    throw;
  } catch (const usage_error& problem) {
    return {exit_bad_usage, problem.what(), ""};
  } catch (const std::bad_alloc&) {
    return {exit_bad_usage, "there is not enough memory for this", ""};
  } catch (const std::exception& problem) {
    return {exit_failure, problem.what(), ""};
  }
}

void agree(cluster& world, const verdict& own) {
  const auto all = world.gather(own);
  for (unsigned rank = 0; rank < all.size(); ++rank) {
    const auto& [status, text, hint] = all[rank];
    if (status == going_on) continue;
    if (rank == world.rank() && !text.empty()) complain(text, hint);
    throw agreed_end{status};
  }
}

}  // namespace evencube::cli
