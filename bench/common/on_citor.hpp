#pragma once

#include <citor/hints.h>
#include <citor/thread_pool.h>

#include "program.hpp"

namespace bench {

inline const engine on_citor{"citor"};

}  // namespace bench
