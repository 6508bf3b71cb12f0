#pragma once

#include <tbb/queuing_rw_mutex.h>
