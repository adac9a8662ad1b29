/* The part of a generated harness that fills arrays whose contents are given. After timing.h, where there are any. */

typedef struct {
    const char *path; /* of the file, or NULL */
    int64_t offset;
    const void *table;
} tp_content;

static void tp_load(tp_array *array, const tp_content *content) {
    size_t rest = array->size * array->count;
    unsigned char *to = array->data;
    if (!content->path) {
        memcpy(to, content->table, rest);
        return;
    }
    int file = open(content->path, O_RDONLY | O_CLOEXEC);
    for (off_t at = (off_t)content->offset; rest;) {
        ssize_t got = file < 0 ? -1 : pread(file, to, rest, at);
        if (got <= 0) tp_fail(TP_EXIT_USAGE, "cannot read the data of an array");
        to += got, at += got, rest -= (size_t)got;
    }
    if (file >= 0) close(file);
}
