/* 2048 played at random to the end, again and again: sixteen nibbles in a word, rows looked up in tables.
 *
 * Usage: program [playouts] [seed]; prints one line of JSON. There is no search here, so uct.h lends its random numbers
 * and nothing else.
 */
#include "uct.h"

static uint16_t slid[2][65536]; /* to the left, to the right */
static uint32_t points[65536];

static uint16_t reversed(uint16_t row) {
    return (uint16_t)((row >> 12) | ((row >> 4) & 0x00F0) | ((row << 4) & 0x0F00) | (row << 12));
}

static void fill_tables(void) {
    for (uint32_t row = 0; row < 65536; row++) {
        uint8_t made[4] = {0};
        int count = 0, open = 0; /* open: the last tile may still merge */
        for (int i = 0; i < 4; i++) {
            const uint8_t tile = (row >> (4 * i)) & 15;
            if (!tile) continue;
            if (open && made[count - 1] == tile && tile < 15) {
                made[count - 1]++;
                points[row] += 1u << made[count - 1];
                open = 0;
            } else {
                made[count++] = tile;
                open = 1;
            }
        }
        slid[0][row] = (uint16_t)(made[0] | made[1] << 4 | made[2] << 8 | made[3] << 12);
    }
    for (uint32_t row = 0; row < 65536; row++)
        slid[1][row] = reversed(slid[0][reversed((uint16_t)row)]);
}

static inline uint64_t transposed(uint64_t board) {
    uint64_t a = (board & 0xF0F00F0FF0F00F0FULL) | (board & 0x0000F0F00000F0F0ULL) << 12 |
                 (board & 0x0F0F00000F0F0000ULL) >> 12;
    return (a & 0xFF00FF0000FF00FFULL) | (a & 0x00000000FF00FF00ULL) << 24 | (a & 0x00FF00FF00000000ULL) >> 24;
}

static inline uint64_t moved(uint64_t board, int direction, uint32_t *gained) {
    const uint64_t lines = direction & 2 ? transposed(board) : board;
    const uint16_t *table = slid[direction & 1];
    uint64_t after = 0;
    *gained = 0;
    for (int i = 0; i < 64; i += 16) {
        const uint16_t row = (uint16_t)(lines >> i);
        after |= (uint64_t)table[row] << i;
        *gained += points[row];
    }
    return direction & 2 ? transposed(after) : after;
}

static inline uint64_t with_tile(uint64_t board, uint64_t *rng) {
    uint64_t any = board | board >> 2;
    any |= any >> 1;
    const uint64_t cell = random_bit(~any & 0x1111111111111111ULL, rng);
    return board | (random_below(rng, 10) == 0 ? cell << 1 : cell);
}

/* Random directions, without those that were seen to change nothing. */
static uint64_t playout(uint64_t board, uint64_t *rng, uint64_t *moves) {
    uint64_t score = 0;
    for (uint64_t left = 15; left;) {
        const uint64_t bit = random_bit(left, rng);
        uint32_t gained;
        const uint64_t after = moved(board, __builtin_ctzll(bit), &gained);
        if (after == board) {
            left ^= bit;
            continue;
        }
        score += gained;
        board = with_tile(after, rng);
        left = 15;
        ++*moves;
    }
    return score;
}

int main(int argc, char **argv) {
    const long playouts = argc > 1 ? atol(argv[1]) : 100000;
    uint64_t rng = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    fill_tables();
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    uint64_t score = 0, moves = 0;
    for (long i = 0; i < playouts; i++) score += playout(0x1000000000000001ULL, &rng, &moves);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("{\"game\": \"game2048\", \"playouts\": %ld, \"seconds\": %.6f, \"playouts_per_second\": %.0f, "
           "\"mean_score\": %.2f, \"mean_moves\": %.2f}\n",
           playouts, seconds, (double)playouts / seconds, (double)score / (double)playouts,
           (double)moves / (double)playouts);
    return 0;
}
