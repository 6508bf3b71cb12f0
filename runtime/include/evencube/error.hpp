#pragma once

#include <stdexcept>

#include <evencube/detail/compiler.hpp>

namespace evencube {

/// Misuse of a runtime that could not be seen from one argument alone: waiting from the wrong
/// thread, calling in from a forked child, holding a runtime from within itself.
class EVENCUBE_EXPORT error : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

}  // namespace evencube
