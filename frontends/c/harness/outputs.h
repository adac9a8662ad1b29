/* A fixed part of every generated harness: what it writes of its arrays. After inputs.h. */

/* `path` may be the number of an open file. */
static int tp_open(const char *path, int flags) {
    if (path[0] >= '0' && path[0] <= '9') return atoi(path);
    int file = open(path, flags | O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0) tp_fail(TP_EXIT_USAGE, "cannot open a file for the results");
    return file;
}

#define TP_TO_LOG (-2) /* in place of a file: memory at tp_log_end */
static unsigned char *tp_log_end;

/* A copy that leaves the caches as they are, where the machine has stores for that. */
static void tp_copy_past_caches(unsigned char *to, const unsigned char *from, size_t rest) {
#ifdef __SSE2__
    while (rest && (uintptr_t)to % 16) *to++ = *from++, rest--;
    for (; rest >= 16; to += 16, from += 16, rest -= 16)
        _mm_stream_si128((__m128i *)(void *)to, _mm_loadu_si128((const __m128i *)(const void *)from));
#endif
    memcpy(to, from, rest);
}

static void tp_write(int file, const unsigned char *at, size_t rest) {
    if (file == TP_TO_LOG) {
        tp_copy_past_caches(tp_log_end, at, rest);
        tp_log_end += rest;
        return;
    }
    while (rest) {
        ssize_t wrote = write(file, at, rest);
        if (wrote <= 0) tp_fail(TP_EXIT_USAGE, "cannot write the results");
        at += wrote;
        rest -= (size_t)wrote;
    }
}

/* The byte of the array that this is; -1 where it is none. `end`: the one behind a piece of the array is one as well. */
static int64_t tp_byte_of(const tp_array *array, const unsigned char *to, size_t end) {
    if (!array->pieces)
        return to >= array->data && to < array->data + array->size * array->count + end ? to - array->data : -1;
    size_t low = 0, high = array->pieces->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (array->pieces->sorted[middle].at <= to)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low) return -1;
    const tp_piece *piece = &array->pieces->sorted[low - 1];
    if (to >= piece->at + piece->count * array->size + end) return -1;
    return (int64_t)(piece->first * array->size) + (to - piece->at);
}

/* The range of memory that an address is in, from the system's list, a line of which is LOW-HIGH RIGHTS ...; 0: none, -1: no list. */
static int tp_find_range(unsigned long long address, unsigned long long *low, unsigned long long *high, char *rights) {
    static int file = -2;
    static char text[1 << 13];
    size_t filled = 0;
    ssize_t got;
    if (file == -2) file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    for (off_t at = 0; file >= 0 && (got = pread(file, text + filled, sizeof text - 1 - filled, at)) > 0; at += got) {
        size_t begin = 0;
        filled += (size_t)got;
        for (size_t end = 0; end < filled; end++) {
            if (text[end] != '\n') continue;
            text[end] = 0;
            if (tp_scan(text + begin, "%llx-%llx %7s", low, high, rights) == 3 && address >= *low && address < *high)
                return 1;
            begin = end + 1;
        }
        filled -= begin;
        for (size_t k = 0; k < filled; k++) text[k] = text[begin + k];
    }
    return file < 0 ? -1 : 0;
}

/* Can anything be written there, as it cannot into the text of a program? The last range of memory is remembered. */
static int tp_is_writable(const void *at) {
    static unsigned long long low, high;
    static char rights[8];
    unsigned long long address = (unsigned long long)(uintptr_t)at;
    if (address >= low && address < high) return rights[1] == 'w';
    int known = tp_find_range(address, &low, &high, rights);
    if (known <= 0) low = high = 0;
    return known < 0 || (known && rights[1] == 'w');
}

/* A pointer as what it points into: the number of the array from 1, and the byte; -1 for NULL, -2 for other memory, -3
 * for other memory of which nothing could be told, or that cannot be written. */
static int64_t tp_pointer_code(const unsigned char *to, char kind) {
    if (!to) return -1;
    for (size_t end = 0; end < 2; end++) /* the end of one array may be the start of another */
        for (int i = 0; i < tp_array_count; i++) {
            int64_t byte = tp_byte_of(&tp_arrays[i], to, end);
            if (byte >= 0) return ((int64_t)(i + 1) << 40) + byte;
        }
    return kind == 'o' || !tp_is_writable(to) ? -3 : -2;
}

static int tp_is_pointer(const tp_leaf *leaf) {
    return leaf->kind == 'p' || leaf->kind == 'o';
}

/* The numbers of one leaf of all elements, one after the other. */
static void tp_write_leaf(int file, const tp_array *array, const tp_leaf *leaf) {
    static unsigned char held[1 << 16];
    size_t filled = 0;
    for (size_t k = 0; k < array->count * leaf->count; k++) {
        const unsigned char *at = array->data + k / leaf->count * array->size + leaf->offset + k % leaf->count * leaf->size;
        if (tp_is_pointer(leaf)) {
            const unsigned char *to;
            memcpy(&to, at, sizeof to);
            int64_t code = tp_pointer_code(to, leaf->kind);
            memcpy(held + filled, &code, sizeof code);
        } else {
            memcpy(held + filled, at, leaf->size);
        }
        filled += tp_is_pointer(leaf) ? sizeof(int64_t) : leaf->size;
        if (filled > sizeof held - 64) tp_write(file, held, filled), filled = 0;
    }
    tp_write(file, held, filled);
}

static void tp_write_part(int file, const tp_array *array, int leaf) {
    if (array->leaves)
        tp_write_leaf(file, array, &array->leaves[leaf]);
    else
        tp_write(file, array->data, array->size * array->count);
}

static void tp_write_pieces(int file, const tp_array *array, int leaf) {
    for (size_t i = 0; i < tp_piece_count(array); i++) {
        tp_array part = tp_piece_of(array, i);
        tp_write_part(file, &part, leaf);
    }
}

/* As the kernel left the pointers to the rows; a row that is none of the array's holds 0xFF. */
static void tp_write_rows(int file, const tp_array *array, int leaf) {
    tp_array row = *array;
    unsigned char *none = (unsigned char *)malloc(row.size * row.row);
    if (!none) tp_fail(TP_EXIT_MEMORY, "no memory for the results");
    memset(none, 0xFF, row.size * row.row);
    row.count = row.row;
    for (size_t r = 0; r < tp_arrays[array->table].count; r++) {
        unsigned char *at = tp_row_at(array, r);
        row.data = at ? at : none;
        tp_write_part(file, &row, leaf);
    }
    free(none);
}

static int tp_is_output(const tp_array *array) {
    return array->direction == TP_OUT || array->direction == TP_INOUT;
}

static void tp_write_outputs(int file) {
    for (int i = 0; i < tp_array_count; i++)
        for (int j = 0; j < tp_leaf_count(&tp_arrays[i]) && tp_is_output(&tp_arrays[i]); j++)
            if (tp_arrays[i].row)
                tp_write_rows(file, &tp_arrays[i], j);
            else
                tp_write_pieces(file, &tp_arrays[i], j);
}

/* Of all outputs after a call. */
static size_t tp_output_bytes(void) {
    size_t bytes = 0;
    for (int i = 0; i < tp_array_count; i++)
        for (int j = 0; j < tp_leaf_count(&tp_arrays[i]) && tp_is_output(&tp_arrays[i]); j++) {
            const tp_leaf leaf = tp_leaf_of(&tp_arrays[i], j);
            bytes += tp_arrays[i].count * leaf.count * (tp_is_pointer(&leaf) ? sizeof(int64_t) : leaf.size);
        }
    return bytes;
}

static int tp_results = -1; /* the file of results */

static void tp_say_arrays(void) {
    for (int i = 0; i < tp_array_count; i++) {
        const tp_array *array = &tp_arrays[i];
        if (array->unknown) tp_hold("uncompared %s\n", array->name);
        for (int j = 0; j < tp_leaf_count(array) && tp_is_output(array); j++) {
            const tp_leaf leaf = tp_leaf_of(array, j);
            const char *pointer = tp_is_pointer(&leaf) ? "&" : "", *dot = leaf.path[0] ? "." : "";
            char kind = tp_is_pointer(&leaf) ? 'i' : leaf.kind;
            tp_hold("array %s%s%s%s %c%zu %zu\n", pointer, array->name, dot, leaf.path, kind, leaf.size,
                   array->count * leaf.count);
        }
    }
    tp_send();
}
