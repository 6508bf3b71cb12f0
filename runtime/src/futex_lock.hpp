#pragma once

#include <evencube/detail/futex_lock.hpp>
