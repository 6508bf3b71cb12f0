// Catch2 3 in the form of two files, which a copy of its repository has without being built.
#pragma once

#include <catch_amalgamated.hpp>
