/* Plain UCT on chess. */
#define Move uint16_t
#include "uct.h"

#include "chess.h"

#include "search.h"
