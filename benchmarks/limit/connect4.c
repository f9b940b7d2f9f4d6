/* Connect four on bitboards: seven bits a column, the top one always empty, so that lines never wrap around.
 *
 *    6 13 20 27 34 41 48     <- never filled
 *    5 12 19 26 33 40 47
 *    .  .  .  .  .  .  .
 *    0  7 14 21 28 35 42
 */
#include "uct.h"

#define GAME "connect4"
#define MAX_MOVES 7
#define MAX_DEPTH 42

#define BOTTOM 0x0000040810204081ULL
#define BOARD (BOTTOM * 0x3f)

typedef struct {
    uint64_t own, all; /* stones of the player to move, stones of both */
} State;

static inline void start(State *state) { state->own = state->all = 0; }

/* Adding the bottom row carries through each column's stones to the first empty square above them. */
static inline uint64_t landing_squares(const State *state) { return (state->all + BOTTOM) & BOARD; }

static inline int list_moves(const State *state, uint8_t *moves) {
    int count = 0;
    for (uint64_t free = landing_squares(state); free; free &= free - 1)
        moves[count++] = (uint8_t)(__builtin_ctzll(free) / 7);
    return count;
}

static inline void drop(State *state, uint64_t square) {
    state->own ^= state->all; /* now the other player's stones: the one who moves next */
    state->all |= square;
}

static inline void play(State *state, int move) {
    drop(state, landing_squares(state) & (0x3fULL << (7 * move)));
}

static inline int four_in_line(uint64_t stones) {
    uint64_t found = 0;
    for (int i = 0; i < 4; i++) {
        static const int STEPS[4] = {1, 6, 7, 8};
        const uint64_t pairs = stones & (stones >> STEPS[i]);
        found |= pairs & (pairs >> (2 * STEPS[i]));
    }
    return found != 0;
}

static inline int finished(const State *state, int *result) {
    const int lost = four_in_line(state->own ^ state->all);
    *result = -lost;
    return lost || state->all == BOARD;
}

static inline int playout(State state, uint64_t *rng) {
    /* The position handed in is not finished; only the player who just moved can have made a line. */
    for (int sign = 1;; sign = -sign) {
        const uint64_t free = landing_squares(&state);
        if (!free) return 0;
        drop(&state, random_bit(free, rng));
        if (four_in_line(state.own ^ state.all)) return sign;
    }
}

#include "search.h"
