#pragma once

#include <tbb/parallel_scan.h>
