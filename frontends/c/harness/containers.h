/* The part of a harness whose kernel takes containers: each is made around an array's own memory, guards and all. After
 * runtime.h and the entry's declaration. The generated tables say which arrays may be containers', and where the number of
 * elements that a kernel leaves goes. tunepass_container(argument, what, count) with what = 0: looks, 1: makes, 2: destroys. */
#define TP_NEW_ALIGNMENT 16 /* of what operator new returns: compilers rely on it */

static void *tp_offered; /* what the next allocation of as many bytes gets */
static size_t tp_offered_bytes;
static void *tp_objects[TP_MAX_ARRAYS];
static unsigned char *tp_inside[TP_MAX_ARRAYS]; /* the memory that object is around */

static int tp_is_offered(const void *memory) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_inside[i] && tp_inside[i] == memory) return 1;
    return 0;
}

/* Weak: a kernel may bring its own. Then its containers lie where it puts them, without guards, as do those that need
 * more than their elements, such as strings. */
__attribute__((weak)) void *operator new(size_t bytes) {
    void *memory = tp_offered && bytes == tp_offered_bytes ? tp_offered : malloc(bytes ? bytes : 1);
    if (memory == tp_offered) tp_offered = NULL;
    if (!memory) throw std::bad_alloc();
    return memory;
}
__attribute__((weak)) void operator delete(void *memory) noexcept {
    if (!tp_is_offered(memory)) free(memory);
}
__attribute__((weak)) void operator delete(void *memory, size_t) noexcept {
    operator delete(memory);
}

static void tp_make_object(int index) {
    tp_array *array = &tp_arrays[index];
    tp_inside[index] = array->data;
    tp_offered = array->count ? array->data : NULL, tp_offered_bytes = array->size * array->count;
    tp_answer answer = tunepass_container(index, 1, array->count);
    tp_offered = NULL;
    tp_objects[index] = answer.object;
    if (answer.object && array->count) tp_inside[index] = array->data = (unsigned char *)answer.data;
}

/* For arrays that are new. The objects of former arrays are left alone: their memory is gone. */
static void tp_make_objects(void) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_contained[i] && (!tp_objects[i] || tp_inside[i] != tp_arrays[i].data)) tp_make_object(i);
}

/* The argument itself: the container, or the address of the elements. */
__attribute__((unused)) static void *tp_object(int index) {
    return tp_objects[index] ? tp_objects[index] : tp_arrays[index].data;
}

/* Elements that a kernel left elsewhere, or fewer of them, come back into the array's memory; missing ones are zero. */
static void tp_settle_object(int index) {
    tp_array *array = &tp_arrays[index];
    tp_answer answer = tunepass_container(index, 0, 0);
    if (tp_length_of[index] >= 0) *(int64_t *)tp_arrays[tp_length_of[index]].data = (int64_t)answer.size;
    if (answer.size == array->count && answer.data == array->data) return;
    if (answer.size > array->count) {
        tp_say("error the kernel leaves %zu elements in %s, which has %zu\n", answer.size, array->name, array->count);
        _exit(TP_EXIT_USAGE);
    }
    void *kept = malloc(answer.size * array->size + 1);
    if (!kept) tp_fail(TP_EXIT_MEMORY, "no memory for the arrays");
    memcpy(kept, answer.data, answer.size * array->size);
    tunepass_container(index, 2, 0);
    tp_make_object(index);
    memcpy(array->data, kept, answer.size * array->size);
    free(kept);
}

static void tp_settle(void) {
    for (int i = 0; i < tp_array_count; i++)
        if (tp_contained[i] && tp_objects[i]) tp_settle_object(i);
}
