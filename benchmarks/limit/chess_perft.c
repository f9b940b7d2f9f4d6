/* The classic count of move sequences: program FEN depth; prints one line of JSON. */
#define Move uint16_t
#include "uct.h"

#include "chess.h"

static uint64_t perft(const State *state, int depth) {
    Move moves[MAX_MOVES];
    const int count = list_moves(state, moves);
    if (depth == 1) return (uint64_t)count; /* the last moves need not be made */
    uint64_t total = 0;
    for (int i = 0; i < count; i++) {
        /* Without the history, which nothing here asks for. */
        State after;
        memcpy(&after, state, offsetof(State, keys));
        after.past = 0;
        play(&after, moves[i]);
        total += perft(&after, depth - 1);
    }
    return total;
}

int main(int argc, char **argv) {
    State state;
    fill_tables();
    const int depth = argc > 2 ? atoi(argv[2]) : 0;
    if (depth < 1 || !read_position(&state, argv[1])) {
        fprintf(stderr, "usage: chess_perft FEN DEPTH\n");
        return 2;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const uint64_t found = perft(&state, depth);
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("{\"nodes\": %llu, \"seconds\": %.6f}\n", (unsigned long long)found, seconds);
    return 0;
}
