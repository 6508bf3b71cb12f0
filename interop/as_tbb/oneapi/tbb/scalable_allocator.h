#pragma once

#include <tbb/scalable_allocator.h>
