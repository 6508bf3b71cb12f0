#pragma once

#include <tbb/rw_mutex.h>
