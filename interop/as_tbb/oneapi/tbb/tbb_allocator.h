#pragma once

#include <tbb/tbb_allocator.h>
