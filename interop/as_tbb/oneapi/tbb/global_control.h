#pragma once

#include <tbb/global_control.h>
