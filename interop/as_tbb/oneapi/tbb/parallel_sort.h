#pragma once

#include <tbb/parallel_sort.h>
