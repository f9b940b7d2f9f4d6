/* Plain UCT with nothing left to take away: the limit that `make bench` measures Playout against.
 *
 * A game file includes this header (random numbers), defines State and the five functions below as `static inline`,
 * and ends with search.h, so that the compiler sees the whole search at once.
 *
 *   void     start(State *state)
 *   int      list_moves(const State *state, Move *moves)         0 never happens before the end: a pass is a move
 *   void     play(State *state, int move)
 *   int      finished(const State *state, int *result)           result: +1, 0, -1 for the player to move
 *   int      playout(State state, uint64_t *rng)                 the same, after random moves to the end
 *
 * Move is uint8_t, unless the game file defines it before. Players take strict turns (a pass is a move), so whose edge it
 * is follows from its depth.
 *
 * The rules of the search are Playout's with UCT(c), all children at once, solver off:
 *   - an edge's value is the mean return of the player who chooses it;
 *   - a node's children are opened when it is visited for the second time, the root's at once;
 *   - unvisited edges first, in random order, then the largest value/visits + c * sqrt(log(N) / visits).
 *
 * Usage: program [simulations] [seed] [c]; prints one line of JSON.
 */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __BMI2__
#include <immintrin.h>
#endif

#ifndef Move
#define Move uint8_t
#endif

static inline uint64_t random_bits(uint64_t *rng) { /* splitmix64 */
    uint64_t z = (*rng += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

/* 0 <= answer < bound. Multiply and shift: the bias is bound / 2^32, far below what a search could notice. */
static inline uint32_t random_below(uint64_t *rng, uint32_t bound) {
    return (uint32_t)(((random_bits(rng) >> 32) * bound) >> 32);
}

/* The index-th set bit of mask, alone. */
static inline uint64_t nth_bit(uint64_t mask, unsigned index) {
#ifdef __BMI2__
    return _pdep_u64(1ULL << index, mask);
#else
    while (index--) mask &= mask - 1;
    return mask & -mask;
#endif
}

static inline uint64_t random_bit(uint64_t mask, uint64_t *rng) {
    return nth_bit(mask, random_below(rng, (uint32_t)__builtin_popcountll(mask)));
}
