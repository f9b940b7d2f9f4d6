/* Othello on bitboards: bit 0 is a1, bit 7 h1, bit 63 h8; move 64 is a pass. */
#include "uct.h"

#define GAME "othello"
#define MAX_MOVES 34 /* 33 is the most known in a position that can be reached */
#define MAX_DEPTH 128
#define PASS 64

typedef struct {
    uint64_t own, other; /* of the player to move, of the other */
} State;

static inline void start(State *state) {
    state->own = (1ULL << 28) | (1ULL << 35);
    state->other = (1ULL << 27) | (1ULL << 36);
}

/* Four shifts to the left and four to the right. Stones on the a and h files can't be jumped over sideways: taking
 * them out of the other player's stones is all that keeps a line from wrapping around. */
static const int STEPS[4] = {1, 7, 8, 9};
#define INNER 0x7e7e7e7e7e7e7e7eULL
#define EVERY 0xffffffffffffffffULL
static const uint64_t JUMPED[4] = {INNER, INNER, EVERY, INNER};

static inline uint64_t legal_squares(uint64_t own, uint64_t other) {
    uint64_t squares = 0;
    for (int i = 0; i < 4; i++) {
        const int step = STEPS[i];
        const uint64_t jumped = other & JUMPED[i];
        uint64_t up = jumped & (own << step), down = jumped & (own >> step);
        /* Runs of up to six stones, the length doubled at each turn (Kogge-Stone). */
        up |= jumped & (up << step);
        down |= jumped & (down >> step);
        const uint64_t pairs_up = jumped & (jumped << step), pairs_down = jumped & (jumped >> step);
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        squares |= (up << step) | (down >> step);
    }
    return squares & ~(own | other);
}

static inline uint64_t flipped(uint64_t own, uint64_t other, uint64_t square) {
    uint64_t stones = 0;
    for (int i = 0; i < 4; i++) {
        const int step = STEPS[i];
        const uint64_t jumped = other & JUMPED[i];
        uint64_t up = jumped & (square << step), down = jumped & (square >> step);
        up |= jumped & (up << step);
        down |= jumped & (down >> step);
        const uint64_t pairs_up = jumped & (jumped << step), pairs_down = jumped & (jumped >> step);
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        up |= pairs_up & (up << (2 * step));
        down |= pairs_down & (down >> (2 * step));
        /* A run counts only if a stone of one's own stands behind it; without a branch, which would be mispredicted. */
        stones |= up & -(uint64_t)(((up << step) & own) != 0);
        stones |= down & -(uint64_t)(((down >> step) & own) != 0);
    }
    return stones;
}

static inline void place(State *state, uint64_t square) {
    const uint64_t turned = flipped(state->own, state->other, square);
    const uint64_t own = state->own | square | turned;
    state->own = state->other & ~turned;
    state->other = own;
}

static inline void pass(State *state) { *state = (State){state->other, state->own}; }

static inline int list_moves(const State *state, uint8_t *moves) {
    int count = 0;
    for (uint64_t squares = legal_squares(state->own, state->other); squares; squares &= squares - 1)
        moves[count++] = (uint8_t)__builtin_ctzll(squares);
    if (!count) moves[count++] = PASS;
    return count;
}

static inline void play(State *state, int move) {
    if (move == PASS)
        pass(state);
    else
        place(state, 1ULL << move);
}

static inline int compare(uint64_t own, uint64_t other) {
    const int lead = __builtin_popcountll(own) - __builtin_popcountll(other);
    return (lead > 0) - (lead < 0);
}

static inline int finished(const State *state, int *result) {
    if (legal_squares(state->own, state->other) || legal_squares(state->other, state->own)) return 0;
    *result = compare(state->own, state->other);
    return 1;
}

static inline int playout(State state, uint64_t *rng) {
    int passes = 0;
    for (int sign = 1;; sign = -sign) {
        const uint64_t squares = legal_squares(state.own, state.other);
        if (squares) {
            place(&state, random_bit(squares, rng));
            passes = 0;
        } else {
            if (++passes == 2) return sign * compare(state.own, state.other);
            pass(&state);
        }
    }
}

#include "search.h"
