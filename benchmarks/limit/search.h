/* The search itself, included at the end of a game file: see uct.h. */

/* An edge and the node behind it are one record of 16 bytes, four to a cache line: no search looks at the one
 * without the other, since states are replayed from the root. */
typedef struct {
    float value;     /* sum of returns; whole numbers below 2^24, so float is exact */
    uint32_t visits;
    uint32_t first;  /* where the children begin */
    uint8_t count;   /* how many children; 0 = not opened (or the end of the game) */
    Move move;
} Edge;

static Edge *edges;
static uint32_t used;

static inline void open_children(Edge *edge, const State *state, uint64_t *rng) {
    Move moves[MAX_MOVES];
    int count = list_moves(state, moves);
    /* Shuffled once here, the unvisited edges can later be taken from left to right. */
    for (int i = count - 1; i > 0; i--) {
        int j = (int)random_below(rng, (uint32_t)i + 1);
        Move move = moves[i];
        moves[i] = moves[j];
        moves[j] = move;
    }
    edge->first = used;
    edge->count = (uint8_t)count;
    for (int i = 0; i < count; i++) edges[used++] = (Edge){.move = moves[i]};
}

/* tried: how often an edge below this node was chosen. Until each had its turn, that is the next one's index. */
static inline Edge *select_edge(const Edge *node, uint32_t tried, float c) {
    Edge *children = edges + node->first;
    if (tried < node->count) return children + tried;
    const float explore = c * sqrtf(logf((float)tried));
    Edge *best = children;
    float best_score = -INFINITY;
    for (int i = 0; i < node->count; i++) {
        const float inverse = 1.0f / (float)children[i].visits;
        const float score = children[i].value * inverse + explore * sqrtf(inverse);
        if (score > best_score) {
            best_score = score;
            best = children + i;
        }
    }
    return best;
}

int main(int argc, char **argv) {
    const long simulations = argc > 1 ? atol(argv[1]) : 1000000;
    uint64_t rng = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    const float c = argc > 3 ? (float)atof(argv[3]) : 1.4f;
    if (simulations < 1 || (uint64_t)simulations * MAX_MOVES >= UINT32_MAX) {
        fprintf(stderr, "simulations: got %ld, expected 1 to %ld\n", simulations, (long)(UINT32_MAX / MAX_MOVES) - 1);
        return 2;
    }
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    /* A simulation opens at most one node. The system hands out pages when they are touched, within the time taken. */
    edges = malloc(((size_t)simulations + 2) * MAX_MOVES * sizeof(Edge));
    if (!edges) {
        fprintf(stderr, "no memory for %ld simulations\n", simulations);
        return 1;
    }
    State root;
    start(&root);
    edges[0] = (Edge){0};
    used = 1;
    open_children(edges, &root, &rng);
    uint64_t depths = 0;
    for (long simulation = 0; simulation < simulations; simulation++) {
        Edge *path[MAX_DEPTH];
        int depth = 0;
        State state = root;
        Edge *edge = edges;
        uint32_t tried = (uint32_t)simulation;
        int result = 0;
        for (;;) { /* 1. select, 2. expand */
            edge = select_edge(edge, tried, c);
            play(&state, edge->move);
            path[depth++] = edge;
            if (edge->count) {
                tried = edge->visits - 1; /* its first visit ended in a playout, not in a child */
                continue;
            }
            if (finished(&state, &result)) break;
            if (edge->visits == 0) { /* 3. evaluate */
                result = playout(state, &rng);
                break;
            }
            open_children(edge, &state, &rng);
            tried = 0;
        }
        depths += (uint64_t)depth;
        /* 4. back up: result is for the player to move below the last edge, so its chooser gets the opposite. */
        for (int i = depth - 1; i >= 0; i--) {
            result = -result;
            path[i]->visits++;
            path[i]->value += (float)result;
        }
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    const double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
    printf("{\"game\": \"%s\", \"simulations\": %ld, \"seconds\": %.6f, \"simulations_per_second\": %.0f, "
           "\"edges\": %u, \"bytes_per_edge\": %zu, \"mean_depth\": %.3f, \"visits\": {",
           GAME, simulations, seconds, (double)simulations / seconds, used, sizeof(Edge),
           (double)depths / (double)simulations);
    for (int move = 0, printed = 0; move < 1 << 8 * sizeof(Move); move++)
        for (int i = 0; i < edges[0].count; i++) {
            const Edge *edge = edges + edges[0].first + i;
            if (edge->move == move) printf("%s\"%d\": %u", printed++ ? ", " : "", move, edge->visits);
        }
    printf("}}\n");
    free(edges);
    return 0;
}
