#pragma once

#include <tbb/spin_rw_mutex.h>
