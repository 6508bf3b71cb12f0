#pragma once

// Marks a spelling that is accepted until version 0.2.0, with the one that takes its place.
// Programs that define EVENCUBE_WARN_OF_FORMER get a warning where they use it. The others get
// none, because a program that is compiled with -Werror must not break before the spelling is gone.
#ifdef EVENCUBE_WARN_OF_FORMER
#define EVENCUBE_FORMER(instead) [[deprecated(instead)]]
#else
#define EVENCUBE_FORMER(instead)
#endif
