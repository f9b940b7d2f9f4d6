/* Tic-tac-toe on two nine-bit boards. */
#include "uct.h"

#define GAME "tictactoe"
#define MAX_MOVES 9
#define MAX_DEPTH 9

typedef struct {
    uint32_t own, other; /* of the player to move, of the one who just moved */
} State;

static const uint32_t LINES[8] = {0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};
static uint8_t has_line[512];

static inline void start(State *state) {
    for (int board = 0; board < 512; board++)
        for (int i = 0; i < 8; i++) has_line[board] |= (board & LINES[i]) == LINES[i];
    state->own = state->other = 0;
}

static inline uint32_t empty_squares(const State *state) { return 0777 & ~(state->own | state->other); }

static inline int list_moves(const State *state, uint8_t *moves) {
    int count = 0;
    for (uint32_t empty = empty_squares(state); empty; empty &= empty - 1)
        moves[count++] = (uint8_t)__builtin_ctz(empty);
    return count;
}

static inline void place(State *state, uint32_t square) {
    const uint32_t placed = state->own | square;
    state->own = state->other;
    state->other = placed;
}

static inline void play(State *state, int move) { place(state, 1u << move); }

static inline int finished(const State *state, int *result) {
    const int lost = has_line[state->other];
    *result = -lost;
    return lost || !empty_squares(state);
}

static inline int playout(State state, uint64_t *rng) {
    for (int sign = -1;; sign = -sign) { /* sign: what a line of the last mover is worth to the caller's player */
        if (has_line[state.other]) return sign;
        const uint32_t empty = empty_squares(&state);
        if (!empty) return 0;
        place(&state, (uint32_t)random_bit(empty, rng));
    }
}

#include "search.h"
