/* How the random inputs of a case of mode=check are distributed. After the generated part, before checks.h. The numbers
 * are those of DISTRIBUTIONS in reference/cases.py. */

enum {
    TP_EQUAL = 4, TP_ASCENDING, TP_FEW_WHOLE, TP_SMALL_NUMBERS, TP_LARGE_NUMBERS,
    TP_DESCENDING, TP_ZEROS, TP_TIMES_8, TP_TIMES_87, TP_TIMES_700, TP_MIXED, TP_BEYOND_SQUARES,
    TP_WHOLE_16, TP_WHOLE_31, TP_SIGNED_9, TP_SIGNED_16, TP_SIGNED_24, TP_SIGNED_31, TP_SIGNED_63,
    TP_LARGEST, TP_LEAST_OF_ALL, TP_QUARTERS, TP_ALIKE, TP_BELOW_SQUARES, TP_ALL_BITS, TP_BOTH_BOUNDS, TP_NEAR_POWERS,
    TP_CLOSE, TP_EQUAL_LARGEST, TP_MULTIPLES, TP_SPARSE
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

/* One number of an array whose contents the pragma leaves open. Other floating types than these stay as they are. */
static double tp_redistributed(double x, int distribution, int is_double, uint64_t bits) {
    const double scale = is_double ? TP_DOUBLE_SCALE : TP_FLOAT_SCALE;
    const int mixed = is_double ? TP_DOUBLE_MIXED : TP_FLOAT_MIXED;
    switch (distribution) {
    case TP_FEW_WHOLE: return (double)((int)(x * 4.0 + 4.5) - 4); /* -4 to 4 */
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
    if (distribution == TP_FEW_WHOLE) { /* only the lowest byte is drawn */
        const uint16_t one = 1;
        unsigned char *low = *(const unsigned char *)&one ? at : at + size - 1;
        *low &= 3;
    }
    if (distribution == TP_SPARSE && bits % TP_ZERO_EVERY == 0) tp_put_whole(at, size, 0);
    if (distribution == TP_ZEROS || (distribution >= TP_WHOLE_16 && distribution <= TP_LEAST_OF_ALL) ||
        distribution == TP_NEAR_POWERS || distribution == TP_MULTIPLES)
        tp_put_whole(at, size, tp_redistributed_whole(kind, size, distribution, bits));
}

static void tp_reverse_array(const tp_array *array) {
    unsigned char held[TP_VARIED_BYTES];
    if (array->size > sizeof held) return;
    for (size_t low = 0, high = array->count; low + 1 < high; low++) {
        unsigned char *first = array->data + low * array->size, *last = array->data + --high * array->size;
        memcpy(held, first, array->size);
        memcpy(first, last, array->size);
        memcpy(last, held, array->size);
    }
}

/* Most elements are equal, also to those of earlier arrays of such a type: rows that differ in one place, long runs. */
static void tp_make_alike(int index, int open, uint64_t seed) {
    const tp_array *array = &tp_arrays[index], *like = array;
    for (int i = index - 1; i >= 0 && open; i--) {
        const tp_array *other = &tp_arrays[i];
        if (tp_drawn[i] && tp_any_value[i] && other->count && !other->pieces && !other->leaves && !array->leaves &&
            other->kind == array->kind && other->size == array->size)
            like = other;
    }
    for (size_t k = like == array; k < array->count; k++)
        if (k == 0 || tp_random(seed + 0xA11E, (uint64_t)index, k) % TP_UNLIKE_EVERY)
            memcpy(array->data + k * array->size, like->data, array->size);
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

/* Of an array of random numbers; `open`: within no range of the pragma's. */
static void tp_redistribute(int index, int distribution, int open, uint64_t seed) {
    tp_array *array = &tp_arrays[index];
    if (array->pieces) return;
    if (distribution == TP_EQUAL_LARGEST && array->count) {
        tp_sort_array(array);
        memcpy(array->data, array->data + (array->count - 1) * array->size, array->size);
    }
    if (distribution == TP_EQUAL || distribution == TP_EQUAL_LARGEST)
        for (size_t k = 1; k < array->count; k++) memcpy(array->data + k * array->size, array->data, array->size);
    if (distribution == TP_ASCENDING || distribution == TP_DESCENDING) tp_sort_array(array);
    if (distribution == TP_DESCENDING) tp_reverse_array(array);
    if (distribution == TP_ALIKE) tp_make_alike(index, open, seed);
    if (!open || distribution == TP_EQUAL || distribution == TP_ASCENDING || distribution == TP_DESCENDING ||
        distribution == TP_ALIKE || distribution == TP_EQUAL_LARGEST)
        return;
    const int drawn = distribution != TP_BOTH_BOUNDS ? distribution : index & 1 ? TP_LEAST_OF_ALL : TP_LARGEST;
    for (int i = 0; i < tp_leaf_count(array); i++) {
        const tp_leaf leaf = tp_leaf_of(array, i);
        for (size_t k = 0; k < array->count * leaf.count; k++)
            tp_redistribute_number(array->data + k / leaf.count * array->size + leaf.offset + k % leaf.count * leaf.size,
                                   leaf.kind, leaf.size, drawn,
                                   tp_random(seed + 0xD157 + (uint64_t)i, (uint64_t)index, k));
    }
}
