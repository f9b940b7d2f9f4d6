/* Chess on bitboards: bit 0 is a1, bit 7 h1, bit 63 h8. A move is from | to << 6 | promotion << 12; castling is the
 * king's. Rules as in Playout: mate, stalemate, too little material, the third repetition, fifty moves. */
#include <string.h>

#define GAME "chess"
#define MAX_MOVES 218
#define MAX_DEPTH 1024
#define FIFTY 100

enum { PAWN = 1, KNIGHT, BISHOP, ROOK, QUEEN, KING };

typedef struct {
    uint64_t kinds[7]; /* by kind, of both colours; [0]: all */
    uint64_t colours[2];
    uint64_t key; /* what repetition compares */
    uint64_t checkers, pinned; /* of the side to move */
    uint8_t squares[64];       /* kinds; 0: empty */
    int turn, castling, en_passant, halfmoves, past; /* en_passant: where a pawn can legally be taken so, or 64 */
    uint64_t keys[FIFTY + 1]; /* of the positions since the last capture or pawn move */
} State;

static uint64_t KNIGHTS[64], KINGS[64], PAWNS[2][64], BETWEEN[64][64], LINE[64][64];
static uint64_t KEYS[2][7][64], CASTLING_KEYS[16], EN_PASSANT_KEYS[65], TURN_KEY;
static uint8_t CASTLING_LEFT[64];

/* Sliding attacks: the squares that matter are gathered into an index by one instruction. */
typedef struct {
    uint64_t mask;
    uint32_t first;
} Slider;
static Slider ROOKS[64], BISHOPS[64];
static uint64_t SEEN[107648];

static inline uint64_t gather(uint64_t bits, uint64_t mask) {
#ifdef __BMI2__
    return _pext_u64(bits, mask);
#else
    uint64_t found = 0;
    for (uint64_t place = 1; mask; mask &= mask - 1, place <<= 1)
        if (bits & mask & -mask) found |= place;
    return found;
#endif
}

#define LOWEST(bits) __builtin_ctzll(bits)
#define BIT(square) (1ULL << (square))
#define RANKS_18 0xff000000000000ffULL
#define FILE_A 0x0101010101010101ULL
#define NOT_A (~FILE_A)
#define NOT_H (~(FILE_A << 7))

static inline uint64_t rook_sees(int square, uint64_t occupied) {
    return SEEN[ROOKS[square].first + gather(occupied, ROOKS[square].mask)];
}

static inline uint64_t bishop_sees(int square, uint64_t occupied) {
    return SEEN[BISHOPS[square].first + gather(occupied, BISHOPS[square].mask)];
}

static uint64_t walk(int square, int file_step, int rank_step, uint64_t occupied, int most) {
    uint64_t found = 0;
    int file = square & 7, rank = square >> 3;
    while (most--) {
        file += file_step;
        rank += rank_step;
        if (file < 0 || file > 7 || rank < 0 || rank > 7) break;
        found |= BIT(8 * rank + file);
        if (occupied & BIT(8 * rank + file)) break;
    }
    return found;
}

static const int STEPS[8][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, -1}, {-1, 1}};

static void fill_tables(void) {
    uint32_t used = 0;
    uint64_t rng = 7;
    for (int square = 0; square < 64; square++) {
        const uint64_t edges_of_files = 0x8181818181818181ULL;
        for (int slanted = 0; slanted < 2; slanted++) {
            Slider *slider = slanted ? BISHOPS + square : ROOKS + square;
            uint64_t mask = 0;
            for (int i = 4 * slanted; i < 4 * slanted + 4; i++) { /* the last square of a ray hides nothing */
                uint64_t ray = walk(square, STEPS[i][0], STEPS[i][1], 0, 7);
                if (STEPS[i][0]) ray &= ~edges_of_files;
                if (STEPS[i][1]) ray &= ~RANKS_18;
                mask |= ray;
            }
            *slider = (Slider){mask, used};
            uint64_t occupied = 0;
            do { /* all subsets of the mask */
                uint64_t found = 0;
                for (int i = 4 * slanted; i < 4 * slanted + 4; i++)
                    found |= walk(square, STEPS[i][0], STEPS[i][1], occupied, 7);
                SEEN[used + gather(occupied, mask)] = found;
                occupied = (occupied - mask) & mask;
            } while (occupied);
            used += 1u << __builtin_popcountll(mask);
        }
        for (int i = 0; i < 8; i++) {
            const int file = STEPS[i][0], rank = STEPS[i][1];
            KINGS[square] |= walk(square, file, rank, 0, 1);
            if (file && rank) {
                KNIGHTS[square] |= walk(square, 2 * file, rank, 0, 1) | walk(square, file, 2 * rank, 0, 1);
                PAWNS[rank < 0][square] |= walk(square, file, rank, 0, 1);
            }
            const uint64_t ahead = walk(square, file, rank, 0, 7);
            const uint64_t whole = ahead | walk(square, -file, -rank, 0, 7) | BIT(square);
            for (uint64_t left = ahead; left; left &= left - 1) {
                const int other = LOWEST(left);
                LINE[square][other] = whole;
                BETWEEN[square][other] = walk(square, file, rank, BIT(other), 7) & ~BIT(other);
            }
        }
        for (int kind = PAWN; kind <= KING; kind++)
            for (int colour = 0; colour < 2; colour++) KEYS[colour][kind][square] = random_bits(&rng);
        CASTLING_LEFT[square] = 15;
        EN_PASSANT_KEYS[square] = random_bits(&rng);
    }
    for (int i = 0; i < 16; i++) CASTLING_KEYS[i] = random_bits(&rng);
    TURN_KEY = random_bits(&rng);
    CASTLING_LEFT[4] = 12, CASTLING_LEFT[7] = 14, CASTLING_LEFT[0] = 13; /* 1, 2: White short, long; 4, 8: Black */
    CASTLING_LEFT[60] = 3, CASTLING_LEFT[63] = 11, CASTLING_LEFT[56] = 7;
}

static inline uint64_t attackers(const State *s, int square, int colour, uint64_t occupied) {
    return ((PAWNS[!colour][square] & s->kinds[PAWN]) | (KNIGHTS[square] & s->kinds[KNIGHT]) |
            (KINGS[square] & s->kinds[KING]) |
            (bishop_sees(square, occupied) & (s->kinds[BISHOP] | s->kinds[QUEEN])) |
            (rook_sees(square, occupied) & (s->kinds[ROOK] | s->kinds[QUEEN]))) &
           s->colours[colour] & occupied;
}

static inline void find_checks(State *s) {
    const int us = s->turn;
    const uint64_t own = s->colours[us], other = s->colours[!us];
    const int king = LOWEST(s->kinds[KING] & own);
    s->checkers = ((PAWNS[us][king] & s->kinds[PAWN]) | (KNIGHTS[king] & s->kinds[KNIGHT])) & other;
    s->pinned = 0;
    const uint64_t straight = s->kinds[ROOK] | s->kinds[QUEEN], slanted = s->kinds[BISHOP] | s->kinds[QUEEN];
    uint64_t left = ((rook_sees(king, other) & straight) | (bishop_sees(king, other) & slanted)) & other;
    for (; left; left &= left - 1) {
        const int square = LOWEST(left);
        const uint64_t between = BETWEEN[king][square] & own;
        if (!between)
            s->checkers |= BIT(square);
        else if (!(between & (between - 1)))
            s->pinned |= between;
    }
}

static inline int can_take_passing(const State *s, int from, int to, int us) {
    const int king = LOWEST(s->kinds[KING] & s->colours[us]);
    const uint64_t occupied = (s->kinds[0] ^ BIT(from) ^ BIT(to ^ 8)) | BIT(to);
    return !attackers(s, king, !us, occupied);
}

static inline Move *put(Move *at, int from, uint64_t targets) {
    for (; targets; targets &= targets - 1) *at++ = (Move)(from | LOWEST(targets) << 6);
    return at;
}

static inline Move *put_pawns(Move *at, uint64_t targets, int step) {
    for (uint64_t left = targets & ~RANKS_18; left; left &= left - 1) {
        const int to = LOWEST(left);
        *at++ = (Move)((to - step) | to << 6);
    }
    for (uint64_t left = targets & RANKS_18; left; left &= left - 1) {
        const int to = LOWEST(left);
        for (int kind = KNIGHT; kind <= QUEEN; kind++) *at++ = (Move)((to - step) | to << 6 | kind << 12);
    }
    return at;
}

static inline Move *put_pawn_moves(Move *at, const State *s, uint64_t pawns, uint64_t allowed) {
    const uint64_t empty = ~s->kinds[0], other = s->colours[!s->turn] & allowed;
    if (s->turn == 0) {
        const uint64_t step = (pawns << 8) & empty, twice = ((step & 0xff0000ULL) << 8) & empty;
        at = put_pawns(at, step & allowed, 8);
        at = put_pawns(at, twice & allowed, 16);
        at = put_pawns(at, ((pawns & NOT_A) << 7) & other, 7);
        return put_pawns(at, ((pawns & NOT_H) << 9) & other, 9);
    }
    const uint64_t step = (pawns >> 8) & empty, twice = ((step & 0xff0000000000ULL) >> 8) & empty;
    at = put_pawns(at, step & allowed, -8);
    at = put_pawns(at, twice & allowed, -16);
    at = put_pawns(at, ((pawns & NOT_H) >> 7) & other, -7);
    return put_pawns(at, ((pawns & NOT_A) >> 9) & other, -9);
}

static inline int list_moves(const State *s, Move *moves) {
    Move *at = moves;
    const int us = s->turn;
    const uint64_t own = s->colours[us], occupied = s->kinds[0];
    const int king = LOWEST(s->kinds[KING] & own);
    for (uint64_t left = KINGS[king] & ~own; left; left &= left - 1) /* the king hides nothing behind itself */
        if (!attackers(s, LOWEST(left), !us, occupied ^ BIT(king))) *at++ = (Move)(king | LOWEST(left) << 6);
    uint64_t allowed = ~own;
    if (s->checkers) {
        if (s->checkers & (s->checkers - 1)) return (int)(at - moves);
        allowed = s->checkers | BETWEEN[king][LOWEST(s->checkers)];
    } else if (s->castling >> (2 * us) & 3) {
        const int rights = s->castling >> (2 * us) & 3;
        if (rights & 1 && !(occupied >> (king + 1) & 3) && !attackers(s, king + 1, !us, occupied) &&
            !attackers(s, king + 2, !us, occupied))
            *at++ = (Move)(king | (king + 2) << 6);
        if (rights & 2 && !(occupied >> (king - 3) & 7) && !attackers(s, king - 1, !us, occupied) &&
            !attackers(s, king - 2, !us, occupied))
            *at++ = (Move)(king | (king - 2) << 6);
    }
    for (uint64_t left = s->kinds[KNIGHT] & own & ~s->pinned; left; left &= left - 1)
        at = put(at, LOWEST(left), KNIGHTS[LOWEST(left)] & allowed);
    for (uint64_t left = (s->kinds[BISHOP] | s->kinds[ROOK] | s->kinds[QUEEN]) & own; left; left &= left - 1) {
        const int square = LOWEST(left), kind = s->squares[square];
        uint64_t targets = 0;
        if (kind != ROOK) targets = bishop_sees(square, occupied);
        if (kind != BISHOP) targets |= rook_sees(square, occupied);
        if (s->pinned & BIT(square)) targets &= LINE[king][square];
        at = put(at, square, targets & allowed);
    }
    const uint64_t pawns = s->kinds[PAWN] & own;
    at = put_pawn_moves(at, s, pawns & ~s->pinned, allowed);
    for (uint64_t left = pawns & s->pinned; left; left &= left - 1)
        at = put_pawn_moves(at, s, left & -left, allowed & LINE[king][LOWEST(left)]);
    if (s->en_passant != 64)
        for (uint64_t left = PAWNS[!us][s->en_passant] & pawns; left; left &= left - 1)
            if (can_take_passing(s, LOWEST(left), s->en_passant, us)) *at++ = (Move)(LOWEST(left) | s->en_passant << 6);
    return (int)(at - moves);
}

static inline void move_piece(State *s, int colour, int kind, int square) {
    s->kinds[kind] ^= BIT(square);
    s->colours[colour] ^= BIT(square);
    s->key ^= KEYS[colour][kind][square];
}

static inline void play(State *s, int move) {
    const int us = s->turn, from = move & 63, to = move >> 6 & 63, promotion = move >> 12;
    int kind = s->squares[from];
    const int taken = s->squares[to], was_passing = s->en_passant;
    int for_good = kind == PAWN || taken;
    const uint64_t before = s->key;
    s->key ^= TURN_KEY;
    if (was_passing != 64) {
        s->key ^= EN_PASSANT_KEYS[was_passing];
        s->en_passant = 64;
        if (kind == PAWN && to == was_passing) {
            move_piece(s, !us, PAWN, to ^ 8);
            s->squares[to ^ 8] = 0;
        }
    }
    s->halfmoves = for_good ? 0 : s->halfmoves + 1;
    if (taken) move_piece(s, !us, taken, to);
    move_piece(s, us, kind, from);
    s->squares[from] = 0;
    if (promotion) kind = promotion;
    move_piece(s, us, kind, to);
    s->squares[to] = (uint8_t)kind;
    const int rights = s->castling & CASTLING_LEFT[from] & CASTLING_LEFT[to];
    if (rights != s->castling) {
        s->key ^= CASTLING_KEYS[rights] ^ CASTLING_KEYS[s->castling];
        s->castling = rights;
        for_good = 1;
        if (kind == KING && (to - from == 2 || from - to == 2)) {
            const int corner = to > from ? to + 1 : to - 2, beside = (from + to) / 2;
            move_piece(s, us, ROOK, corner);
            move_piece(s, us, ROOK, beside);
            s->squares[corner] = 0;
            s->squares[beside] = ROOK;
        }
    }
    s->kinds[0] = s->colours[0] | s->colours[1];
    s->turn = !us;
    if (for_good)
        s->past = 0;
    else
        s->keys[s->past++] = before;
    if (kind == PAWN && (from ^ to) == 16) {
        const int passed = (from + to) / 2;
        for (uint64_t left = PAWNS[us][passed] & s->kinds[PAWN] & s->colours[!us]; left; left &= left - 1)
            if (can_take_passing(s, LOWEST(left), passed, !us)) {
                s->en_passant = passed;
                s->key ^= EN_PASSANT_KEYS[passed];
                break;
            }
    }
    find_checks(s);
}

/* By a rule of draws; mate and stalemate show when the moves are listed. */
static inline int is_drawn(const State *s) {
    if (!(s->kinds[PAWN] | s->kinds[ROOK] | s->kinds[QUEEN])) {
        const uint64_t light = 0x55aa55aa55aa55aaULL, bishops = s->kinds[BISHOP];
        if (s->kinds[KNIGHT] ? __builtin_popcountll(s->kinds[0]) == 3 : !(bishops & light) || !(bishops & ~light))
            return 1;
    }
    if (s->halfmoves >= FIFTY) return 1;
    if (s->past < 8) return 0;
    int times = 0;
    for (int i = s->past - 4; i >= 0; i -= 2) times += s->keys[i] == s->key;
    return times >= 2;
}

static inline int finished(const State *s, int *result) {
    Move moves[MAX_MOVES];
    const int over = !list_moves(s, moves);
    *result = over && s->checkers ? -1 : 0;
    return over || is_drawn(s);
}

/* A playout needs no list: the moves of each piece are counted as a set, and one of them is drawn. Whether the king's
 * are legal is only asked when one of them was drawn; if not, another is. */
typedef struct {
    uint64_t targets;
    int from, step, weight; /* pawns go by their step, from everywhere at once; four promotions each on the last rank */
} Choice;

static inline Choice *offer(Choice *at, uint64_t targets, int from, int step, int weight) {
    *at = (Choice){targets, from, step, weight};
    return at + (targets != 0);
}

static inline Choice *offer_pawns(Choice *at, const State *s, uint64_t pawns, uint64_t allowed) {
    const uint64_t empty = ~s->kinds[0], other = s->colours[!s->turn];
    const int forward = s->turn ? -8 : 8;
    const uint64_t step = (s->turn ? pawns >> 8 : pawns << 8) & empty;
    const uint64_t twice = (s->turn ? (step & 0xff0000000000ULL) >> 8 : (step & 0xff0000ULL) << 8) & empty & allowed;
    const uint64_t to_a = (s->turn ? (pawns & NOT_A) >> 9 : (pawns & NOT_A) << 7) & other & allowed;
    const uint64_t to_h = (s->turn ? (pawns & NOT_H) >> 7 : (pawns & NOT_H) << 9) & other & allowed;
    at = offer(at, step & allowed & ~RANKS_18, -1, forward, 1);
    at = offer(at, twice, -1, 2 * forward, 1);
    at = offer(at, to_a & ~RANKS_18, -1, forward - 1, 1);
    at = offer(at, to_h & ~RANKS_18, -1, forward + 1, 1);
    if (((step & allowed) | to_a | to_h) & RANKS_18) {
        at = offer(at, step & allowed & RANKS_18, -1, forward, 4);
        at = offer(at, to_a & RANKS_18, -1, forward - 1, 4);
        at = offer(at, to_h & RANKS_18, -1, forward + 1, 4);
    }
    return at;
}

static inline int is_legal_for_king(const State *s, int from, int to) {
    const int us = s->turn;
    const uint64_t occupied = s->kinds[0] ^ BIT(from);
    if (to - from == 2 || from - to == 2) {
        if (attackers(s, (from + to) / 2, !us, occupied)) return 0;
    }
    return !attackers(s, to, !us, occupied);
}

/* A legal move, each as likely as the others, or -1 where there is none. */
static inline int random_move(const State *s, uint64_t *rng) {
    Choice choices[96], *at = choices;
    const int us = s->turn;
    const uint64_t own = s->colours[us], occupied = s->kinds[0];
    const int king = LOWEST(s->kinds[KING] & own);
    uint64_t steps = KINGS[king] & ~own, allowed = ~own;
    const int rights = s->checkers ? 0 : s->castling >> (2 * us) & 3;
    if (rights & 1 && !(occupied >> (king + 1) & 3)) steps |= BIT(king + 2);
    if (rights & 2 && !(occupied >> (king - 3) & 7)) steps |= BIT(king - 2);
    at = offer(at, steps, king, 0, 1);
    const int kings = at != choices;
    if (s->checkers) allowed = s->checkers | BETWEEN[king][LOWEST(s->checkers)];
    if (!(s->checkers & (s->checkers - 1))) {
        for (uint64_t left = s->kinds[KNIGHT] & own & ~s->pinned; left; left &= left - 1)
            at = offer(at, KNIGHTS[LOWEST(left)] & allowed, LOWEST(left), 0, 1);
        for (uint64_t left = (s->kinds[BISHOP] | s->kinds[QUEEN]) & own; left; left &= left - 1) {
            uint64_t targets = bishop_sees(LOWEST(left), occupied) & allowed;
            if (s->pinned & left & -left) targets &= LINE[king][LOWEST(left)];
            at = offer(at, targets, LOWEST(left), 0, 1);
        }
        for (uint64_t left = (s->kinds[ROOK] | s->kinds[QUEEN]) & own; left; left &= left - 1) {
            uint64_t targets = rook_sees(LOWEST(left), occupied) & allowed;
            if (s->pinned & left & -left) targets &= LINE[king][LOWEST(left)];
            at = offer(at, targets, LOWEST(left), 0, 1);
        }
        const uint64_t pawns = s->kinds[PAWN] & own;
        at = offer_pawns(at, s, pawns & ~s->pinned, allowed);
        for (uint64_t left = pawns & s->pinned; left; left &= left - 1)
            at = offer_pawns(at, s, left & -left, allowed & LINE[king][LOWEST(left)]);
        if (s->en_passant != 64)
            for (uint64_t left = PAWNS[!us][s->en_passant] & pawns; left; left &= left - 1)
                if (can_take_passing(s, LOWEST(left), s->en_passant, us))
                    at = offer(at, BIT(s->en_passant), LOWEST(left), 0, 1);
    }
    uint32_t total = 0;
    for (const Choice *choice = choices; choice < at; choice++)
        total += (uint32_t)(__builtin_popcountll(choice->targets) * choice->weight);
    while (total) {
        uint32_t drawn = random_below(rng, total);
        Choice *choice = choices;
        for (;; choice++) {
            const uint32_t count = (uint32_t)(__builtin_popcountll(choice->targets) * choice->weight);
            if (drawn < count) break;
            drawn -= count;
        }
        const int promotion = choice->weight == 4 ? KNIGHT + (int)(drawn & 3) : 0;
        const int to = LOWEST(nth_bit(choice->targets, choice->weight == 4 ? drawn >> 2 : drawn));
        const int from = choice->from >= 0 ? choice->from : to - choice->step;
        if (!kings || choice != choices || is_legal_for_king(s, from, to)) return from | to << 6 | promotion << 12;
        choice->targets ^= BIT(to);
        total--;
    }
    return -1;
}

static inline int playout(State state, uint64_t *rng) {
    for (int sign = 1;; sign = -sign) {
        const int move = random_move(&state, rng);
        if (move < 0) return state.checkers ? -sign : 0;
        if (is_drawn(&state)) return 0;
        play(&state, move);
    }
}

static int read_position(State *s, const char *fen) {
    memset(s, 0, sizeof *s);
    s->en_passant = 64;
    int square = 56;
    for (; *fen && *fen != ' '; fen++) {
        const char *found = strchr(".pnbrqk.PNBRQK", *fen);
        if (*fen >= '1' && *fen <= '8')
            square += *fen - '0';
        else if (*fen == '/')
            square -= 16;
        else if (found && square >= 0 && square < 64) {
            const int code = (int)(found - ".pnbrqk.PNBRQK"), kind = code % 7;
            s->squares[square] = (uint8_t)kind;
            move_piece(s, code < 7, kind, square++);
        } else
            return 0;
    }
    s->kinds[0] = s->colours[0] | s->colours[1];
    if (*fen++ != ' ' || !*fen) return 0;
    s->turn = *fen++ == 'b';
    for (; *fen == ' ' || strchr("KQkq-", *fen); fen++) {
        if (!*fen) break;
        const char *found = strchr("KQkq", *fen);
        if (found && *fen != ' ') s->castling |= 1 << (found - "KQkq");
        if (*fen == '-' && fen[1] == ' ') fen++;
        if (*fen == ' ' && fen[1] >= 'a' && fen[1] <= 'h' && fen[2] >= '1' && fen[2] <= '8') {
            s->en_passant = fen[1] - 'a' + 8 * (fen[2] - '1');
            break;
        }
    }
    find_checks(s);
    return __builtin_popcountll(s->kinds[KING]) == 2;
}

static inline void start(State *state) {
    fill_tables();
    read_position(state, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
}
