/* How the random inputs of a case of mode=check are distributed. After the generated part, before checks.h. The numbers
 * are those of DISTRIBUTIONS in reference/cases.py. */

enum {
    TP_EQUAL = 4, TP_ASCENDING, TP_FEW_WHOLE, TP_SMALL_NUMBERS, TP_LARGE_NUMBERS,
    TP_DESCENDING, TP_ZEROS, TP_TIMES_8, TP_TIMES_87, TP_TIMES_700, TP_MIXED, TP_BEYOND_SQUARES,
    TP_WHOLE_16, TP_WHOLE_31, TP_SIGNED_9, TP_SIGNED_16, TP_SIGNED_24, TP_SIGNED_31, TP_SIGNED_63,
    TP_LARGEST, TP_LEAST_OF_ALL, TP_QUARTERS, TP_ALIKE, TP_BELOW_SQUARES, TP_ALL_BITS, TP_BOTH_BOUNDS, TP_NEAR_POWERS,
    TP_CLOSE, TP_EQUAL_LARGEST, TP_MULTIPLES, TP_SPARSE, TP_AT_BOUNDS, TP_ONE_LARGE, TP_ASCENDING_TIES, TP_PEAK, TP_REPEATS,
    TP_PLAIN_TEXT, TP_ONE_ERROR, TP_NEAR_QUARTERS, TP_ENDS, /* and five more: tp_end_of */
    TP_REFILLED = TP_ENDS + 6, TP_FEW_REFILLED, TP_REORDERED, TP_LITERALS
};
#define TP_ZERO_EVERY 3 /* of so many elements one is zero, by chance */
#define TP_UNLIKE_EVERY 31 /* of so many elements one is unlike the others */
#define TP_FLOAT_SCALE 32768.0 /* of small and large numbers: eight of them multiplied stay in the type's range */
#define TP_DOUBLE_SCALE 1267650600228229401496703205376.0 /* 2^100 */
#define TP_FLOAT_MIXED 10 /* powers of two, up and down */
#define TP_DOUBLE_MIXED 40
#define TP_FLOAT_BEYOND 66 /* powers of two: the squares of such numbers leave the type's range */
#define TP_DOUBLE_BEYOND 520
#define TP_FLOAT_BELOW 80 /* powers of two downwards: the squares of such numbers are zeros, not denormal */
#define TP_DOUBLE_BELOW 560
#define TP_FLOAT_CLOSE 10 /* powers of two beside which the usual numbers are small */
#define TP_DOUBLE_CLOSE 26
#define TP_OTHER_DIVISOR 10 /* where a whole scalar divides every number */

/* 2^power */
static double tp_power_of_two(int power) {
    double result = 1.0, factor = power < 0 ? 0.5 : 2.0;
    for (int k = power < 0 ? -power : power; k > 0; k--) result *= factor;
    return result;
}

/* An odd whole number with as many bits as the type has, whose halves it does not have. */
static double tp_of_all_bits(double x, int digits, uint64_t bits) {
    const double whole = (double)((bits >> (65 - digits)) * 2 + 1) + tp_power_of_two(digits - 1);
    return x < 0.0 ? -whole : whole;
}

/* A quarter from -2 to 2, off by a part of it that rounding of a few operations does not reach. */
static double tp_near_quarter(double x, int is_double, uint64_t bits) {
    const double quarter = (double)((int)(x * 8.0 + 8.5) - 8) / 4.0, sign = bits & 1 ? -1.0 : 1.0;
    const int least = is_double ? 20 : 8, kinds = is_double ? 21 : 9;
    const double part = sign * tp_power_of_two(-least - (int)((bits >> 1) % (uint64_t)kinds));
    return quarter == 0.0 ? part : quarter + quarter * part;
}

/* One of the real numbers in the source's text, or a number so near that few roundings lead there. */
static double tp_near_real_literal(double x, uint64_t bits) {
    if (!tp_literal_real_count || (bits & 7) == 0) return x;
    const double real = tp_literal_real[(bits >> 16) % (tp_literal_real_count ? tp_literal_real_count : 1)];
    const double near = (bits & 7) == 1 ? real * (1.0 + x * 0.0625) : (bits & 7) == 2 ? real * 2.0 : real;
    return bits >> 60 ? near : -near;
}

/* One number of an array whose contents the pragma leaves open. Other floating types than these stay as they are. */
static double tp_redistributed(double x, int distribution, int is_double, uint64_t bits) {
    const double scale = is_double ? TP_DOUBLE_SCALE : TP_FLOAT_SCALE;
    const int mixed = is_double ? TP_DOUBLE_MIXED : TP_FLOAT_MIXED;
    switch (distribution) {
    case TP_ASCENDING_TIES: /* those before they are put in order */
    case TP_FEW_WHOLE: return (double)((int)(x * 4.0 + 4.5) - 4); /* -4 to 4 */
    case TP_NEAR_QUARTERS: return tp_near_quarter(x, is_double, bits);
    case TP_QUARTERS: return (double)((int)(x * 8.0 + 8.5) - 8) / 4.0; /* -2 to 2 */
    case TP_SMALL_NUMBERS: return x / scale;
    case TP_LARGE_NUMBERS: return x * scale;
    case TP_ZEROS: return bits & 1 ? -0.0 : 0.0;
    case TP_TIMES_8: return x * 8.0;
    case TP_TIMES_87: return x * 87.0; /* exp() of them is finite in float */
    case TP_TIMES_700: return x * 700.0; /* and in double */
    case TP_MIXED: return x * tp_power_of_two((int)(bits % (uint64_t)(2 * mixed + 1)) - mixed);
    case TP_BEYOND_SQUARES: return x * tp_power_of_two(is_double ? TP_DOUBLE_BEYOND : TP_FLOAT_BEYOND);
    case TP_BELOW_SQUARES: return x / tp_power_of_two(is_double ? TP_DOUBLE_BELOW : TP_FLOAT_BELOW);
    case TP_CLOSE: return x + tp_power_of_two(is_double ? TP_DOUBLE_CLOSE : TP_FLOAT_CLOSE);
    case TP_SPARSE: return bits % TP_ZERO_EVERY ? x : 0.0;
    case TP_LITERALS: return tp_near_real_literal(x, bits);
    case TP_ALL_BITS: return tp_of_all_bits(x, is_double ? DBL_MANT_DIG : FLT_MANT_DIG, bits);
    default: return x;
    }
}

/* The largest number of its type, or the least. */
static uint64_t tp_whole_bound(char kind, size_t size, int largest) {
    const uint64_t all = ~(uint64_t)0 >> (64 - 8 * size);
    return kind == 'u' ? (largest ? all : 0) : largest ? all >> 1 : (all >> 1) + 1;
}

/* So many bits of the magnitude of a whole number, as far as its type has them; `has_sign`: of both signs. */
static uint64_t tp_whole_number(char kind, size_t size, int bits_wanted, int has_sign, uint64_t bits) {
    const int wide = 8 * (int)size, most = kind == 'i' ? wide - 1 : wide;
    const int taken = bits_wanted == 31 && size == 8 ? 33 : bits_wanted == 31 || bits_wanted > most ? most : bits_wanted;
    const uint64_t magnitude = bits >> (64 - taken);
    return kind == 'i' && has_sign && (bits & 1) ? ~magnitude : magnitude; /* -1 - magnitude */
}

/* A power of two of the type, one less or one more; of both signs. */
static uint64_t tp_near_power(char kind, size_t size, uint64_t bits) {
    const uint64_t power = (uint64_t)1 << (bits >> 8) % (8 * size - (kind == 'i')), near = power + bits % 3 - 1;
    return kind == 'i' && (bits & 128) ? ~near + 1 : near;
}

/* A multiple of one of the call's whole scalars, one less or one more, of both signs, as far as the type has them. */
static uint64_t tp_near_multiple(char kind, size_t size, uint64_t bits) {
    const int64_t scalar = tp_whole_scalar(bits);
    const uint64_t magnitude = scalar < 0 ? ~(uint64_t)scalar + 1 : (uint64_t)scalar;
    const uint64_t divisor = magnitude > 1 ? magnitude : TP_OTHER_DIVISOR, most = tp_whole_bound(kind, size, 1);
    const uint64_t multiple = tp_whole_number(kind, size, 64, 0, bits) / divisor * divisor, by = (bits >> 3) % 3;
    const uint64_t near = by == 1 && multiple ? multiple - 1 : by == 2 && multiple < most ? multiple + 1 : multiple;
    return kind == 'i' && (bits & 128) ? ~near + 1 : near;
}

/* The least number of its type, the largest, the one before it, 0, 1 and, as far as there is one, -1. */
static uint64_t tp_at_bounds(char kind, size_t size, uint64_t bits) {
    const uint64_t least = tp_whole_bound(kind, size, 0), most = tp_whole_bound(kind, size, 1);
    const uint64_t values[6] = {least, most, most - 1, 0, 1, kind == 'i' ? ~(uint64_t)0 : most};
    return values[(bits >> 8) % 6];
}

/* One of the whole numbers in the source's text, a small multiple or another number's rest up to it; or a neighbour. */
static uint64_t tp_near_literal(char kind, size_t size, uint64_t bits) {
    const uint64_t most = tp_whole_bound(kind, size, 1), drawn = bits >> 16;
    uint64_t near = (uint64_t)tp_literal_whole[drawn % (tp_literal_whole_count ? tp_literal_whole_count : 1)];
    if (near > most) near %= most;
    if ((bits & 7) == 1 && near) near *= 1 + (bits >> 3) % 64 % (most / near);
    if ((bits & 7) == 2 && near) near = near - 1 - (bits >> 3) % 4 % near;
    if ((bits & 7) == 3 && near > 0) near--;
    if ((bits & 7) == 4 && near < most) near++;
    if ((bits & 7) == 5) near = (bits >> 3) % 4;
    return kind == 'i' && (bits >> 60) == 0 ? ~near + 1 : near;
}

static uint64_t tp_redistributed_whole(char kind, size_t size, int distribution, uint64_t bits) {
    switch (distribution) {
    case TP_WHOLE_16: return tp_whole_number(kind, size, 16, 0, bits);
    case TP_WHOLE_31: return tp_whole_number(kind, size, 31, 0, bits);
    case TP_SIGNED_9: return tp_whole_number(kind, size, 9, 1, bits);
    case TP_SIGNED_16: return tp_whole_number(kind, size, 16, 1, bits);
    case TP_SIGNED_24: return tp_whole_number(kind, size, 24, 1, bits);
    case TP_SIGNED_31: return tp_whole_number(kind, size, 31, 1, bits);
    case TP_SIGNED_63: return tp_whole_number(kind, size, 63, 1, bits);
    case TP_LARGEST: return tp_whole_bound(kind, size, 1);
    case TP_LEAST_OF_ALL: return tp_whole_bound(kind, size, 0);
    case TP_NEAR_POWERS: return tp_near_power(kind, size, bits);
    case TP_MULTIPLES: return tp_near_multiple(kind, size, bits);
    case TP_AT_BOUNDS: return tp_at_bounds(kind, size, bits);
    case TP_LITERALS: return tp_near_literal(kind, size, bits);
    default: return 0;
    }
}

static void tp_put_whole(unsigned char *at, size_t size, uint64_t whole) {
    if (size == 1) *(uint8_t *)at = (uint8_t)whole;
    if (size == 2) *(uint16_t *)at = (uint16_t)whole;
    if (size == 4) *(uint32_t *)at = (uint32_t)whole;
    if (size == 8) *(uint64_t *)at = whole;
}

static void tp_redistribute_number(unsigned char *at, char kind, size_t size, int distribution, uint64_t bits) {
    if (kind == 'f' && size == sizeof(float)) *(float *)at = (float)tp_redistributed(*(float *)at, distribution, 0, bits);
    if (kind == 'f' && size == sizeof(double)) *(double *)at = tp_redistributed(*(double *)at, distribution, 1, bits);
    if (kind != 'i' && kind != 'u') return;
    if (distribution == TP_FEW_WHOLE || distribution == TP_ASCENDING_TIES) { /* only the lowest byte is drawn */
        const uint16_t one = 1;
        unsigned char *low = *(const unsigned char *)&one ? at : at + size - 1;
        *low &= 3;
    }
    if (distribution == TP_SPARSE && bits % TP_ZERO_EVERY == 0) tp_put_whole(at, size, 0);
    if (distribution == TP_ZEROS || (distribution >= TP_WHOLE_16 && distribution <= TP_LEAST_OF_ALL) ||
        distribution == TP_NEAR_POWERS || distribution == TP_MULTIPLES || distribution == TP_AT_BOUNDS ||
        (distribution == TP_LITERALS && tp_literal_whole_count > 0))
        tp_put_whole(at, size, tp_redistributed_whole(kind, size, distribution, bits));
}

/* From element `from` on. */
static void tp_reverse_array(const tp_array *array, size_t from) {
    unsigned char held[TP_VARIED_BYTES];
    if (array->size > sizeof held) return;
    for (size_t low = from, high = array->count; low + 1 < high; low++) {
        unsigned char *first = array->data + low * array->size, *last = array->data + --high * array->size;
        memcpy(held, first, array->size);
        memcpy(first, last, array->size);
        memcpy(last, held, array->size);
    }
}

/* The first array of such a type whose contents are open as well, or the array itself. */
static const tp_array *tp_first_like(int index, int open) {
    const tp_array *array = &tp_arrays[index], *like = array;
    for (int i = index - 1; i >= 0 && open; i--) {
        const tp_array *other = &tp_arrays[i];
        if (tp_drawn[i] && tp_any_value[i] && other->count && !other->pieces && !other->leaves && !array->leaves &&
            other->kind == array->kind && other->size == array->size)
            like = other;
    }
    return like;
}

/* Most elements are equal, also to those of earlier arrays of such a type: rows that differ in one place, long runs. */
static void tp_make_alike(int index, int open, uint64_t seed) {
    const tp_array *array = &tp_arrays[index], *like = tp_first_like(index, open);
    for (size_t k = like == array; k < array->count; k++)
        if (k == 0 || tp_random(seed + 0xA11E, (uint64_t)index, k) % TP_UNLIKE_EVERY)
            memcpy(array->data + k * array->size, like->data, array->size);
}

/* Another array, from a drawn place of the first part of it on. */
static void tp_copy_shifted(const tp_array *array, const tp_array *from, uint64_t bits) {
    const size_t at = from->count > 8 ? bits % (from->count / 8) : 0, left = from->count - at;
    memcpy(array->data, from->data + at * array->size, array->size * (array->count < left ? array->count : left));
}

/* Elements repeat those a few places before them, which makes runs and periods, or those of an earlier array of such a
 * type: as many as a power of two, one less and one more. By one seed in four there are only two different ones, by another
 * one further arrays are the first one, shifted. */
static void tp_repeat_elements(int index, int open, uint64_t seed) {
    const tp_array *array = &tp_arrays[index], *like = tp_first_like(index, open);
    if (like != array && seed % 4 == 3) {
        tp_copy_shifted(array, like, tp_random(seed + 0x2E9EA7, (uint64_t)index, 0));
        return;
    }
    for (size_t k = 0; k < array->count && seed % 4 == 1 && like->count > 1; k++)
        if (like != array || k > 1)
            memcpy(array->data + k * array->size,
                   like->data + (tp_random(seed + 0x270, (uint64_t)index, k) & 1) * array->size, array->size);
    for (size_t k = 0, turn = 0; k < array->count; turn++) {
        const uint64_t bits = tp_random(seed + 0x2E9EA7, (uint64_t)index, turn);
        const tp_array *from = like != array && (bits & 4) ? like : array;
        const size_t wanted = ((size_t)1 << (bits >> 8) % 9) + (bits >> 16) % 3 - 1;
        const size_t distance = 1 + (bits >> 32) % (bits & 8 ? 4 : 64), at = (bits >> 32) % (from->count ? from->count : 1);
        if (bits % 4 == 0 || (from == array && distance > k)) {
            k += 1 + (bits >> 8) % 4; /* as they were drawn */
            continue;
        }
        for (size_t j = 0; j < wanted && k < array->count && (from == array || at + j < from->count); j++, k++)
            memcpy(array->data + k * array->size, from->data + (from == array ? k - distance : at + j) * array->size,
                   array->size);
    }
}

/* A number above and among others that are usual, at a drawn place. */
static void tp_put_one_large(int index, uint64_t seed) {
    tp_array *array = &tp_arrays[index];
    const uint64_t bits = tp_random(seed + 0x1A26E, (uint64_t)index, 0);
    for (int i = 0; i < tp_leaf_count(array) && array->count; i++) {
        const tp_leaf leaf = tp_leaf_of(array, i);
        unsigned char *at = array->data + bits % array->count * array->size + leaf.offset;
        if (leaf.kind == 'i' || leaf.kind == 'u')
            tp_put_whole(at, leaf.size, tp_whole_number(leaf.kind, leaf.size, 31, 0, bits | (uint64_t)1 << 63));
    }
}

/* --- text, in arrays of bytes -------------------------------------------------------------------------------------- */
#define TP_LONGEST_PIECE 24 /* bytes */

static size_t tp_utf8(unsigned char *to, uint32_t code) {
    if (code < 0x800) return to[0] = (unsigned char)(0xC0 | code >> 6), to[1] = (unsigned char)(0x80 | (code & 63)), 2;
    const size_t length = code < 0x10000 ? 3 : 4;
    to[0] = (unsigned char)(length == 3 ? 0xE0 | code >> 12 : 0xF0 | code >> 18);
    for (size_t k = 1; k < length; k++) to[k] = (unsigned char)(0x80 | (code >> 6 * (length - 1 - k) & 63));
    return length;
}

/* A word, a number, a quotation, marks with and without escapes, a character of two to four bytes. */
static size_t tp_piece_of_text(unsigned char *to, uint64_t bits) {
    static const char marks[] = " \n\t,;:.-+*/=%&|!?()[]{}<>'\"\\#@_~^$`";
    const size_t length = 1 + (bits >> 8) % 20;
    const uint32_t code = (uint32_t)(bits >> 24);
    size_t k = 0;
    switch (bits % 16) {
    case 0: case 1: case 2: case 3: /* the first letter of one word in four is a capital */
        for (; k < length; k++) to[k] = (unsigned char)((k || bits & 16 || bits & 32 ? 'a' : 'A') + (bits >> (k + 16)) % 26);
        return k;
    case 4: case 5: case 6: to[0] = bits & 16 ? ' ' : bits & 32 ? ',' : '\n'; return 1;
    case 7: case 8: case 9:
        for (; k < length; k++) to[k] = (unsigned char)('0' + (bits >> (k + 16)) % 10);
        if (bits & 16) to[0] = bits & 32 ? '-' : '+';
        if (bits & 64) to[length / 2] = '.';
        return k;
    case 10: case 11: to[0] = (unsigned char)marks[(bits >> 16) % (sizeof marks - 1)]; return 1;
    case 12:
        for (; k < length % 7; k++) to[k] = '\\';
        return to[k] = '"', k + 1;
    case 13: return tp_utf8(to, 0x80 + code % (0x800 - 0x80));
    case 14: return tp_utf8(to, bits & 16 ? 0x800 + code % (0xD800 - 0x800) : 0xE000 + code % 0x2000);
    default: return tp_utf8(to, 0x10000 + code % 0x100000);
    }
}

/* What UTF-8 does not have: a surrogate, forms that are too long, a number that is too large, parts of characters. */
static size_t tp_error_of_text(unsigned char *to, uint64_t kind) {
    static const char *const errors[] = {"\xED\xA0\x80", "\xE0\x80\x80", "\xF4\x90\x80\x80", "\xC0\x80",
                                         "\xF0\x80\x80\x80", "\x80", "\xE2\x82 "};
    const char *error = errors[kind % (sizeof errors / sizeof *errors)];
    const size_t length = strlen(error);
    memcpy(to, error, length);
    return length;
}

static void tp_write_text(int index, int with_error, uint64_t seed) {
    const tp_array *array = &tp_arrays[index];
    if (array->size != 1 || array->leaves || (array->kind != 'i' && array->kind != 'u')) return;
    const size_t wrong = with_error ? array->count / 4 + tp_random(seed, (uint64_t)index, 0) % (array->count / 2 + 1) : array->count;
    int has_error = 0;
    for (size_t k = 0, turn = 0; k < array->count; turn++) {
        unsigned char piece[TP_LONGEST_PIECE];
        const int is_error = !has_error && k >= wrong;
        size_t length = is_error ? tp_error_of_text(piece, seed)
                                 : tp_piece_of_text(piece, tp_random(seed + 0x7E87, (uint64_t)index, turn));
        if (length > array->count - k) length = 1, piece[0] = '.';
        memcpy(array->data + k, piece, length);
        k += length, has_error |= is_error;
    }
}

/* What lies between the members of elements is random, of equal elements too. */
static void tp_scatter_between(int index, uint64_t seed) {
    tp_array *array = &tp_arrays[index];
    unsigned char member[TP_VARIED_BYTES] = {0};
    if (!array->leaves || array->pieces || array->size > sizeof member) return;
    for (int i = 0; i < array->leaf_count; i++)
        memset(member + array->leaves[i].offset, 1, array->leaves[i].count * array->leaves[i].size);
    for (size_t k = 0; k < array->count * array->size; k++)
        if (!member[k % array->size]) array->data[k] = (unsigned char)tp_random(seed + 0xBE7, (uint64_t)index, k);
}

static uint64_t tp_whole_at(const unsigned char *at, char kind, size_t size) {
    if (size == 1) return kind == 'i' ? (uint64_t)(int64_t)(*(const int8_t *)at) : *(const uint8_t *)at;
    if (size == 2) return kind == 'i' ? (uint64_t)(int64_t)(*(const int16_t *)at) : *(const uint16_t *)at;
    if (size == 4) return kind == 'i' ? (uint64_t)(int64_t)(*(const int32_t *)at) : *(const uint32_t *)at;
    return *(const uint64_t *)at;
}

/* Letters of the source's text, in runs now and then, and digits. */
static void tp_write_letters(const tp_array *array, uint64_t seed) {
    if (array->size != 1 || array->leaves || !tp_literal_letter_count) return;
    for (size_t k = 0, turn = 0; k < array->count; turn++) {
        const uint64_t bits = tp_random(seed + 0x1E77E2, (uint64_t)array->count, turn);
        const size_t run = bits % 16 ? 1 : 1 + (bits >> 8) % 96;
        const unsigned letters = tp_literal_letter_count ? tp_literal_letter_count : 1;
        const int letter = tp_literal_letter[(bits >> 16) % letters], digit = '0' + (int)((bits >> 24) % 10);
        for (size_t j = 0; j < run && k < array->count; j++)
            array->data[k++] = (unsigned char)((bits >> 4) % 8 ? letter : digit);
    }
}

/* Is the number at `at` within the range? */
static int tp_is_within(const tp_range *range, const unsigned char *at, char kind, size_t size) {
    if (kind == 'f' && size == sizeof(float)) return *(const float *)at >= range->lo && *(const float *)at <= range->hi;
    if (kind == 'f' && size == sizeof(double)) return *(const double *)at >= range->lo && *(const double *)at <= range->hi;
    if (kind != 'i' && kind != 'u') return 0;
    const uint64_t whole = tp_whole_at(at, kind, size);
    if (kind == 'u' && whole >> 63) return 0;
    return (int64_t)whole >= range->least && (int64_t)whole <= range->most;
}

/* Numbers that left their range are as they were before. */
static void tp_put_back(const tp_array *array, const unsigned char *before, const tp_range *range) {
    for (int i = 0; i < tp_leaf_count(array); i++) {
        const tp_leaf leaf = tp_leaf_of(array, i);
        for (size_t k = 0; k < array->count * leaf.count; k++) {
            const size_t at = k / leaf.count * array->size + leaf.offset + k % leaf.count * leaf.size;
            if (!tp_is_within(range, array->data + at, leaf.kind, leaf.size))
                memcpy(array->data + at, before + at, leaf.size);
        }
    }
}

static void tp_redistribute_all(int index, int distribution, int open, uint64_t seed);

/* Of an array of random numbers; `open`: within no range of the pragma's. */
static void tp_redistribute(int index, int distribution, int open, uint64_t seed) {
    tp_array *array = &tp_arrays[index];
    const size_t bytes = array->size * array->count;
    tp_range range;
    if (array->pieces) return;
    if (open || (distribution >= TP_ENDS && distribution != TP_LITERALS) || !bytes || !tp_range_of(index, &range)) {
        tp_redistribute_all(index, distribution, open, seed);
        return;
    }
    unsigned char *before = (unsigned char *)tp_new_memory(bytes);
    if (!before) tp_fail(TP_EXIT_MEMORY, "no memory for other data");
    memcpy(before, array->data, bytes);
    tp_redistribute_all(index, distribution, 1, seed);
    tp_put_back(array, before, &range);
    if (distribution == TP_ASCENDING_TIES) tp_sort_array(array);
    tp_free(before);
}

static void tp_redistribute_all(int index, int distribution, int open, uint64_t seed) {
    tp_array *array = &tp_arrays[index];
    if (distribution == TP_EQUAL_LARGEST && array->count) {
        tp_sort_array(array);
        memcpy(array->data, array->data + (array->count - 1) * array->size, array->size);
    }
    if (distribution == TP_EQUAL || distribution == TP_EQUAL_LARGEST)
        for (size_t k = 1; k < array->count; k++) memcpy(array->data + k * array->size, array->data, array->size);
    if (distribution == TP_ASCENDING || distribution == TP_DESCENDING || distribution == TP_PEAK) tp_sort_array(array);
    if (distribution == TP_DESCENDING || distribution == TP_PEAK)
        tp_reverse_array(array, distribution == TP_PEAK ? array->count / 2 : 0);
    if (distribution == TP_ALIKE) tp_make_alike(index, open, seed);
    if (distribution == TP_REPEATS) tp_repeat_elements(index, open, seed);
    if (!open || distribution == TP_EQUAL || distribution == TP_ASCENDING || distribution == TP_DESCENDING ||
        distribution == TP_ALIKE || distribution == TP_EQUAL_LARGEST || distribution == TP_PEAK ||
        distribution == TP_REPEATS || (distribution >= TP_ENDS && distribution != TP_LITERALS))
        return;
    if (distribution == TP_ONE_LARGE) tp_put_one_large(index, seed);
    if (distribution == TP_PLAIN_TEXT || distribution == TP_ONE_ERROR)
        tp_write_text(index, distribution == TP_ONE_ERROR, seed);
    const int drawn = distribution != TP_BOTH_BOUNDS ? distribution : index & 1 ? TP_LEAST_OF_ALL : TP_LARGEST;
    for (int i = 0; i < tp_leaf_count(array); i++) {
        const tp_leaf leaf = tp_leaf_of(array, i);
        for (size_t k = 0; k < array->count * leaf.count; k++)
            tp_redistribute_number(array->data + k / leaf.count * array->size + leaf.offset + k % leaf.count * leaf.size,
                                   leaf.kind, leaf.size, drawn,
                                   tp_random(seed + 0xD157 + (uint64_t)i, (uint64_t)index, k));
    }
    if (distribution == TP_ASCENDING_TIES) tp_sort_array(array);
    if (distribution == TP_LITERALS) tp_write_letters(array, seed + (uint64_t)index);
}

/* --- other contents of arrays that the pragma fills ---------------------------------------------------------------- */
/* Whole numbers that ascend, as the beginnings of rows do: others between the first and the last. With `few` there are at
 * most five different ones, so that most rows are empty. */
static void tp_draw_between(const tp_array *array, int index, int few, uint64_t seed) {
    const unsigned char *end = array->data + (array->count - 1) * array->size;
    const uint64_t first = tp_whole_at(array->data, array->kind, array->size);
    const uint64_t width = tp_whole_at(end, array->kind, array->size) - first + 1;
    for (size_t k = 1; k + 1 < array->count; k++) {
        uint64_t by = tp_random(seed + 0xF111, (uint64_t)index, k);
        if (few) by = (by & 3) * (width / 3);
        tp_put_whole(array->data + k * array->size, array->size, first + (width ? by % width : by));
    }
    tp_sort_array(array);
}

/* Numbers that are filled, drawn anew from themselves: what they lead to as places in other arrays stays there. */
static void tp_refill(int index, int distribution, uint64_t seed) {
    tp_array *array = &tp_arrays[index];
    const size_t size = array->size, count = array->count;
    const int whole = array->kind == 'i' || array->kind == 'u';
    if (!(whole || array->kind == 'f') || array->pieces || size > TP_VARIED_BYTES || count < 2) return;
    unsigned char held[TP_VARIED_BYTES], *from = (unsigned char *)tp_new_memory(size * count);
    if (!from) tp_fail(TP_EXIT_MEMORY, "no memory for other contents");
    memcpy(from, array->data, size * count);
    tp_sort_array(array);
    const int ascending = whole && memcmp(from, array->data, size * count) == 0;
    memcpy(array->data, from, size * count);
    if (distribution == TP_REORDERED) {
        for (size_t k = count - 1; k; k--) {
            const uint64_t place = tp_random(seed + 0x0DE2, (uint64_t)index, k) % (k + 1);
            unsigned char *one = array->data + k * size, *other = array->data + place * size;
            if (place == k) continue;
            memcpy(held, one, size);
            memcpy(one, other, size);
            memcpy(other, held, size);
        }
    } else if (ascending) {
        tp_draw_between(array, index, distribution == TP_FEW_REFILLED, seed);
    } else {
        const size_t different = distribution == TP_FEW_REFILLED && count > 3 ? 3 : count;
        for (size_t k = 0; k < count; k++) {
            const uint64_t bits = tp_random(seed + 0xF111, (uint64_t)index, k), place = bits % different;
            memcpy(array->data + k * size, from + (different == count ? place : place * (count / different)) * size, size);
        }
    }
    tp_free(from);
}
