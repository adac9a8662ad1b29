/* Variables of the source among the arrays, where there are any: after the declaration of tunepass_globals. */

static unsigned char *tp_initial[TP_MAX_ARRAYS]; /* contents before any call */

/* What the array's memory is. Before any call it is as the source initialises it, which is kept. */
static void tp_place_variable(tp_array *array, const struct tunepass_global *variable) {
    size_t bytes = array->size * array->count;
    int index = (int)(array - tp_arrays);
    if (variable->tp_size != bytes) tp_fail(TP_EXIT_USAGE, "the size of a variable depends on the configuration");
    array->fixed = (unsigned char *)(uintptr_t)variable->tp_at;
    if (array->place) return; /* the setup begins with what the source initialises it to */
    if (!tp_initial[index]) {
        tp_initial[index] = (unsigned char *)malloc(bytes ? bytes : 1);
        if (!tp_initial[index]) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
        memcpy(tp_initial[index], array->fixed, bytes);
    }
    memcpy(array->fixed, tp_initial[index], bytes);
}
