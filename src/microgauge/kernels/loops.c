/* Loops over codes, compiled. Each has a twin in NumPy in the module that calls it, with the same
   answer to the last bit; which of the two runs is only a matter of time.

   Callers check types and lengths and hand over contiguous arrays; the lock of the interpreter is
   let go while a loop runs, so that threads share the work. Only the stable interface of Python
   3.11 is used: one build serves every later version. */

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Rows that are looked at together: a block of all columns stays in the cache of a core. */
#define BLOCK 8192
/* Cells up to which a table is counted in four copies, so that counting one cell twice in a row
   does not wait for the first count to be written. */
#define FEW 512
/* Rows and columns of a square that are turned together. */
#define TILE 32
/* Numbers that a cell has, as a rule: one for each fold. */
#define FOLDS 5

typedef struct {
    Py_buffer view;
    int width; /* bytes of a code */
} Column;

static int take_column(PyObject *from, Column *column)
{
    if (PyObject_GetBuffer(from, &column->view, PyBUF_CONTIG_RO) < 0) return -1;
    column->width = (int)column->view.itemsize;
    return 0;
}

static void release_columns(Column *columns, Py_ssize_t count)
{
    for (Py_ssize_t i = 0; i < count; i++) PyBuffer_Release(&columns[i].view);
    free(columns);
}

static Column *take_columns(PyObject *list, Py_ssize_t *count)
{
    *count = PyList_Size(list);
    if (*count < 0) return NULL;
    Column *columns = calloc((size_t)*count + 1, sizeof(Column));
    if (columns == NULL) {
        PyErr_NoMemory();
        return NULL;
    }
    for (Py_ssize_t i = 0; i < *count; i++) {
        if (take_column(PyList_GetItem(list, i), &columns[i]) < 0) {
            release_columns(columns, i);
            return NULL;
        }
    }
    return columns;
}

/* -- tables of pairs --------------------------------------------------------------------------- */

#define COUNT(A, B)                                                                                \
    static void count_##A##_##B(const A *a, const B *b, int64_t rows, int64_t height,              \
                                int64_t cells, int64_t *table)                                     \
    {                                                                                              \
        if (cells > FEW || rows < 4 * cells) {                                                     \
            for (int64_t r = 0; r < rows; r++) table[(int64_t)a[r] * height + b[r]]++;             \
            return;                                                                                \
        }                                                                                          \
        uint32_t copies[4][FEW];                                                                   \
        for (int c = 0; c < 4; c++) memset(copies[c], 0, (size_t)cells * sizeof(uint32_t));        \
        const uint32_t high = (uint32_t)height;                                                    \
        int64_t r = 0;                                                                             \
        for (; r + 4 <= rows; r += 4) {                                                            \
            copies[0][(uint32_t)a[r] * high + (uint32_t)b[r]]++;                                   \
            copies[1][(uint32_t)a[r + 1] * high + (uint32_t)b[r + 1]]++;                           \
            copies[2][(uint32_t)a[r + 2] * high + (uint32_t)b[r + 2]]++;                           \
            copies[3][(uint32_t)a[r + 3] * high + (uint32_t)b[r + 3]]++;                           \
        }                                                                                          \
        for (; r < rows; r++) copies[0][(uint32_t)a[r] * high + (uint32_t)b[r]]++;                 \
        for (int64_t i = 0; i < cells; i++)                                                        \
            table[i] += (int64_t)copies[0][i] + copies[1][i] + copies[2][i] + copies[3][i];        \
    }                                                                                              \
    static void weigh_##A##_##B(const A *a, const B *b, const double *weights, int64_t rows,       \
                                int64_t height, double *counts, double *sums, double *squares)     \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            const int64_t cell = (int64_t)a[r] * height + b[r];                                    \
            counts[cell] += 1.0;                                                                   \
            sums[cell] += weights[r];                                                              \
            squares[cell] += weights[r] * weights[r];                                              \
        }                                                                                          \
    }

COUNT(uint8_t, uint8_t)
COUNT(uint8_t, uint16_t)
COUNT(uint8_t, uint32_t)
COUNT(uint16_t, uint8_t)
COUNT(uint16_t, uint16_t)
COUNT(uint16_t, uint32_t)
COUNT(uint32_t, uint8_t)
COUNT(uint32_t, uint16_t)
COUNT(uint32_t, uint32_t)

#define AT(TYPE, COLUMN) ((const TYPE *)(COLUMN)->view.buf + start)

#define BY_WIDTHS(DO)                                                                              \
    switch (a->width * 8 + b->width) {                                                             \
    case 9: DO(uint8_t, uint8_t); break;                                                           \
    case 10: DO(uint8_t, uint16_t); break;                                                         \
    case 12: DO(uint8_t, uint32_t); break;                                                         \
    case 17: DO(uint16_t, uint8_t); break;                                                         \
    case 18: DO(uint16_t, uint16_t); break;                                                        \
    case 20: DO(uint16_t, uint32_t); break;                                                        \
    case 33: DO(uint32_t, uint8_t); break;                                                         \
    case 34: DO(uint32_t, uint16_t); break;                                                        \
    default: DO(uint32_t, uint32_t); break;                                                        \
    }

#define COUNT_BLOCK(A, B) count_##A##_##B(AT(A, a), AT(B, b), here, height, cells, table)
#define WEIGH_BLOCK(A, B)                                                                          \
    weigh_##A##_##B(AT(A, a), AT(B, b), weights + start, here, height, sums + pair[3],             \
                    sums + all + pair[3], sums + 2 * all + pair[3])

/* Each pair is five numbers: places of a and of b, levels of b, where its table begins, its cells. */
static void count_range(const Column *columns, int64_t rows, const int64_t *pairs, int64_t first,
                        int64_t last, int64_t all, const double *weights, void *out)
{
    for (int64_t start = 0; start < rows; start += BLOCK) {
        const int64_t here = rows - start < BLOCK ? rows - start : BLOCK;
        for (int64_t p = first; p < last; p++) {
            const int64_t *pair = pairs + 5 * p;
            const Column *a = &columns[pair[0]], *b = &columns[pair[1]];
            const int64_t height = pair[2], cells = pair[4];
            if (weights == NULL) {
                int64_t *table = (int64_t *)out + pair[3];
                BY_WIDTHS(COUNT_BLOCK)
            } else {
                double *sums = (double *)out;
                BY_WIDTHS(WEIGH_BLOCK)
            }
        }
    }
}

static PyObject *count_pairs(PyObject *self, PyObject *args)
{
    PyObject *list, *weighing;
    Py_buffer pairs, out, weights;
    long long rows, first, last;
    if (!PyArg_ParseTuple(args, "O!LOy*LLw*", &PyList_Type, &list, &rows, &weighing, &pairs,
                          &first, &last, &out))
        return NULL;
    Py_ssize_t count;
    Column *columns = NULL;
    const int weighted = weighing != Py_None;
    if (weighted && PyObject_GetBuffer(weighing, &weights, PyBUF_CONTIG_RO) < 0) goto failed;
    columns = take_columns(list, &count);
    if (columns == NULL) {
        if (weighted) PyBuffer_Release(&weights);
        goto failed;
    }
    const int64_t all = out.len / (int64_t)sizeof(double) / 3; /* cells of a layer, weighted */
    Py_BEGIN_ALLOW_THREADS
    count_range(columns, rows, pairs.buf, first, last, all, weighted ? weights.buf : NULL, out.buf);
    Py_END_ALLOW_THREADS
    release_columns(columns, count);
    if (weighted) PyBuffer_Release(&weights);
    PyBuffer_Release(&pairs);
    PyBuffer_Release(&out);
    Py_RETURN_NONE;
failed:
    PyBuffer_Release(&pairs);
    PyBuffer_Release(&out);
    return NULL;
}

/* -- one column -------------------------------------------------------------------------------- */

#define TALLY(TYPE)                                                                                \
    static void tally_##TYPE(const TYPE *codes, int64_t rows, int64_t *counts)                     \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) counts[codes[r]]++;                                     \
    }

TALLY(uint16_t)
TALLY(uint32_t)

/* Few levels are counted in four copies: see FEW. */
static void tally_uint8_t(const uint8_t *codes, int64_t rows, int64_t *counts, int64_t size)
{
    int64_t copies[4][256] = {{0}};
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4)
        for (int c = 0; c < 4; c++) copies[c][codes[r + c]]++;
    for (; r < rows; r++) copies[0][codes[r]]++;
    for (int64_t i = 0; i < size && i < 256; i++)
        counts[i] = copies[0][i] + copies[1][i] + copies[2][i] + copies[3][i];
}

static PyObject *count_codes(PyObject *self, PyObject *args)
{
    Py_buffer codes, counts;
    if (!PyArg_ParseTuple(args, "y*w*", &codes, &counts)) return NULL;
    const int64_t width = (int64_t)codes.itemsize, rows = codes.len / width;
    Py_BEGIN_ALLOW_THREADS
    if (width == 1)
        tally_uint8_t(codes.buf, rows, counts.buf, counts.len / (int64_t)sizeof(int64_t));
    else if (width == 2)
        tally_uint16_t(codes.buf, rows, counts.buf);
    else
        tally_uint32_t(codes.buf, rows, counts.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&codes);
    PyBuffer_Release(&counts);
    Py_RETURN_NONE;
}

/* Sorts codes by eleven bits at a time; the spare room is as long. */
static uint32_t *sorted(uint32_t *codes, uint32_t *room, int64_t rows)
{
    uint32_t most = 0;
    for (int64_t r = 0; r < rows; r++) most |= codes[r];
    for (int shift = 0; shift < 32 && most >> shift; shift += 11) {
        int64_t starts[2049] = {0};
        for (int64_t r = 0; r < rows; r++) starts[((codes[r] >> shift) & 2047) + 1]++;
        for (int i = 0; i < 2048; i++) starts[i + 1] += starts[i];
        for (int64_t r = 0; r < rows; r++) room[starts[(codes[r] >> shift) & 2047]++] = codes[r];
        uint32_t *filled = room;
        room = codes;
        codes = filled;
    }
    return codes;
}

static PyObject *sort_codes(PyObject *self, PyObject *args)
{
    Py_buffer codes, keys, counts;
    if (!PyArg_ParseTuple(args, "w*w*w*", &codes, &keys, &counts)) return NULL;
    const int64_t rows = codes.len / (int64_t)sizeof(uint32_t);
    uint32_t *room = malloc(((size_t)rows + 1) * sizeof(uint32_t));
    int64_t *key = keys.buf, *count = counts.buf, found = room == NULL ? -1 : 0;
    if (found == 0) {
        Py_BEGIN_ALLOW_THREADS
        const uint32_t *rising = sorted(codes.buf, room, rows);
        for (int64_t r = 0; r < rows; r++) {
            if (r == 0 || rising[r] != rising[r - 1]) {
                key[found] = rising[r];
                count[found++] = 0;
            }
            count[found - 1]++;
        }
        Py_END_ALLOW_THREADS
    }
    free(room);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&keys);
    PyBuffer_Release(&counts);
    return found < 0 ? PyErr_NoMemory() : PyLong_FromLongLong(found);
}

/* -- numbers in order --------------------------------------------------------------------------- */

typedef struct {
    uint64_t key;
    uint32_t row;
} Placed;

#define DIGIT 11
#define DIGITS 2048
#define ROUNDS 6

/* Numbers whose order as whole numbers is that of the floating point numbers; NaN comes last. */
static uint64_t ordered(double number)
{
    uint64_t bits;
    if (number != number) return UINT64_MAX;
    number += 0.0; /* minus zero is zero */
    memcpy(&bits, &number, sizeof bits);
    return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

/* Sort by one digit of 11 bits after the other, least first; digits that all share are passed by. */
static Placed *sorted_rows(const double *numbers, int64_t rows, Placed *one, Placed *other)
{
    uint32_t(*tallies)[DIGITS] = calloc(ROUNDS, sizeof *tallies);
    if (tallies == NULL) return NULL;
    for (int64_t r = 0; r < rows; r++) {
        const uint64_t key = ordered(numbers[r]);
        one[r].key = key;
        one[r].row = (uint32_t)r;
        for (int d = 0; d < ROUNDS; d++) tallies[d][(key >> (DIGIT * d)) & (DIGITS - 1)]++;
    }
    for (int d = 0; d < ROUNDS; d++) {
        uint32_t *tally = tallies[d];
        if (rows && tally[(one[0].key >> (DIGIT * d)) & (DIGITS - 1)] == (uint32_t)rows) continue;
        uint32_t below = 0;
        for (int i = 0; i < DIGITS; i++) {
            const uint32_t here = tally[i];
            tally[i] = below;
            below += here;
        }
        for (int64_t r = 0; r < rows; r++)
            other[tally[(one[r].key >> (DIGIT * d)) & (DIGITS - 1)]++] = one[r];
        Placed *swap = one;
        one = other;
        other = swap;
    }
    free(tallies);
    return one;
}

/* The distinct numbers in rising order, and of each row the place of its number among them. */
static int64_t code_rows(const double *numbers, int64_t rows, double *values, uint32_t *codes)
{
    Placed *room = malloc(2 * (size_t)(rows + 1) * sizeof(Placed));
    if (room == NULL) return -1;
    const Placed *ranked = sorted_rows(numbers, rows, room, room + rows);
    int64_t count = -1;
    if (ranked != NULL) {
        for (int64_t r = 0; r < rows; r++) {
            if (r == 0 || ranked[r].key != ranked[r - 1].key) {
                count++;
                values[count] = numbers[ranked[r].row] + 0.0;
            }
            codes[ranked[r].row] = (uint32_t)count;
        }
        count++;
    }
    free(room);
    return count;
}

static PyObject *code_numbers(PyObject *self, PyObject *args)
{
    Py_buffer numbers, values, codes;
    if (!PyArg_ParseTuple(args, "y*w*w*", &numbers, &values, &codes)) return NULL;
    int64_t count;
    Py_BEGIN_ALLOW_THREADS
    count = code_rows(numbers.buf, numbers.len / (int64_t)sizeof(double), values.buf, codes.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&values);
    PyBuffer_Release(&codes);
    if (count < 0) return PyErr_NoMemory();
    return PyLong_FromLongLong(count);
}

/* Parts of a rising list, by which a place in it is found in few steps: equal ranges of numbers, or,
   where these crowd in few parts, of the numbers' ordered bits. */
typedef struct {
    double low;
    double scale; /* parts for each unit; 0 where bits tell the parts apart */
    uint64_t first;
    int shift;
} Parts;

static uint64_t part_of(const Parts *parts, double number)
{
    if (parts->scale > 0.0) return (uint64_t)((number - parts->low) * parts->scale);
    return (ordered(number) - parts->first) >> parts->shift;
}

/* Where each part begins; the sum of their squared lengths, which searches grow with. */
static double begin_parts(const double *values, int64_t count, const Parts *by, uint32_t *starts,
                          int64_t parts)
{
    int64_t part = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t here = (int64_t)part_of(by, values[i]);
        while (part <= here) starts[part++] = (uint32_t)i;
    }
    while (part <= parts) starts[part++] = (uint32_t)count;
    double crowding = 0.0;
    for (part = 0; part < parts; part++) {
        const double length = (double)(starts[part + 1] - starts[part]);
        crowding += length * length;
    }
    return crowding;
}

static Parts find_parts(const double *values, int64_t count, uint32_t *starts, int64_t parts)
{
    const double low = values[0], span = values[count - 1] - low;
    Parts even = {low, span > 0.0 ? (double)(parts - 1) / span : 0.0, ordered(low), 0};
    Parts bits = {low, 0.0, ordered(low), 0};
    while (((ordered(values[count - 1]) - bits.first) >> bits.shift) >= (uint64_t)parts)
        bits.shift++;
    const double crowding = begin_parts(values, count, &bits, starts, parts);
    /* A span of no end or next to nothing has no even parts. */
    if (even.scale > 0.0 && even.scale <= 1e300 && (even.scale * span) < (double)parts) {
        if (begin_parts(values, count, &even, starts, parts) <= crowding) return even;
        begin_parts(values, count, &bits, starts, parts);
    }
    return bits;
}

static PyObject *index_numbers(PyObject *self, PyObject *args)
{
    Py_buffer values, starts;
    if (!PyArg_ParseTuple(args, "y*w*", &values, &starts)) return NULL;
    const Parts found =
        find_parts(values.buf, values.len / (int64_t)sizeof(double), starts.buf,
                   starts.len / (int64_t)sizeof(uint32_t) - 1);
    PyBuffer_Release(&values);
    PyBuffer_Release(&starts);
    return Py_BuildValue("di", found.scale, found.shift);
}

/* The place of each row's number among rising values; their number for NaN. 0 where one is none of
   them. */
static int place_rows(const double *values, int64_t count, const uint32_t *starts,
                      const Parts *parts, const double *numbers, int64_t rows, uint32_t *codes)
{
    const double low = values[0], high = values[count - 1];
    for (int64_t r = 0; r < rows; r++) {
        const double number = numbers[r];
        if (number != number) {
            codes[r] = (uint32_t)count;
            continue;
        }
        if (number < low || number > high) return 0;
        const uint64_t part = part_of(parts, number);
        uint32_t from = starts[part], to = starts[part + 1];
        while (from < to) {
            const uint32_t middle = from + (to - from) / 2;
            if (values[middle] < number) from = middle + 1;
            else to = middle;
        }
        if (from == (uint32_t)count || values[from] != number) return 0;
        codes[r] = from;
    }
    return 1;
}

static PyObject *place_numbers(PyObject *self, PyObject *args)
{
    Py_buffer values, starts, numbers, codes;
    double scale;
    int shift, known;
    if (!PyArg_ParseTuple(args, "y*y*diy*w*", &values, &starts, &scale, &shift, &numbers, &codes))
        return NULL;
    const int64_t width = (int64_t)sizeof(double);
    const double low = *(const double *)values.buf;
    const Parts parts = {low, scale, ordered(low), shift};
    Py_BEGIN_ALLOW_THREADS
    known = place_rows(values.buf, values.len / width, starts.buf, &parts, numbers.buf,
                       numbers.len / width, codes.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&values);
    PyBuffer_Release(&starts);
    PyBuffer_Release(&numbers);
    PyBuffer_Release(&codes);
    return PyBool_FromLong(known);
}

/* Places of two rising lists without repeats in the rising list of both. */
static int64_t merge(const double *a, int64_t of_a, const double *b, int64_t of_b, int64_t *place_a,
                     int64_t *place_b)
{
    int64_t i = 0, j = 0, place = 0;
    while (i < of_a && j < of_b) {
        const int before = a[i] <= b[j], after = b[j] <= a[i];
        place_a[i] = place; /* written again until it is right: no branch that cannot be foreseen */
        place_b[j] = place;
        i += before;
        j += after;
        place++;
    }
    while (i < of_a) place_a[i++] = place++;
    while (j < of_b) place_b[j++] = place++;
    return place;
}

static PyObject *merge_places(PyObject *self, PyObject *args)
{
    Py_buffer a, b, place_a, place_b;
    if (!PyArg_ParseTuple(args, "y*y*w*w*", &a, &b, &place_a, &place_b)) return NULL;
    int64_t size;
    const int64_t width = (int64_t)sizeof(double);
    Py_BEGIN_ALLOW_THREADS
    size = merge(a.buf, a.len / width, b.buf, b.len / width, place_a.buf, place_b.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&a);
    PyBuffer_Release(&b);
    PyBuffer_Release(&place_a);
    PyBuffer_Release(&place_b);
    return PyLong_FromLongLong(size);
}

/* -- distinct texts ---------------------------------------------------------------------------- */

/* Columns as Arrow's C data interface hands them over. */
typedef struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
} ArrowSchema;

typedef struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
} ArrowArray;

typedef struct ArrowStream {
    int (*get_schema)(struct ArrowStream *, ArrowSchema *);
    int (*get_next)(struct ArrowStream *, ArrowArray *);
    const char *(*get_last_error)(struct ArrowStream *);
    void (*release)(struct ArrowStream *);
    void *private_data;
} ArrowStream;

/* A text as a column of views holds it: its length and itself, or where it stands if it is long.
   Equal views are equal texts; long texts that are equal may stand in several places. */
typedef struct {
    uint64_t low, high;
} View;

typedef struct {
    View *views;      /* those seen, where their hashes point */
    uint32_t *codes;  /* their numbers, from 1; 0 where there is none */
    int64_t *first;   /* the row that each was seen in first */
    int64_t count, most;
    int shift;
} Seen;

static uint32_t code_of(Seen *seen, View view, int64_t row)
{
    const uint64_t mixed = (view.low ^ (view.high * UINT64_C(0x9E3779B97F4A7C15))) *
                           UINT64_C(0xD6E8FEB86659FD93);
    const uint64_t last = (UINT64_C(1) << (64 - seen->shift)) - 1;
    uint64_t at = mixed >> seen->shift;
    while (seen->codes[at]) {
        if (seen->views[at].low == view.low && seen->views[at].high == view.high)
            return seen->codes[at];
        at = (at + 1) & last;
    }
    if (seen->count == seen->most) return 0;
    seen->views[at] = view;
    seen->first[seen->count++] = row;
    return seen->codes[at] = (uint32_t)seen->count;
}

/* Codes of all rows, 0 where a cell is missing; -1 where there are too many distinct views. */
static int code_some(Seen *seen, const ArrowArray *array, uint32_t *codes)
{
    const uint8_t *here = array->null_count ? array->buffers[0] : NULL;
    const View *views = (const View *)array->buffers[1] + array->offset;
    for (int64_t r = 0; r < array->length; r++) {
        const int64_t bit = r + array->offset;
        uint32_t code = 0;
        if (here == NULL || (here[bit >> 3] >> (bit & 7)) & 1) {
            code = code_of(seen, views[r], r);
            if (!code) return -1;
        }
        codes[r] = code;
    }
    return 0;
}

static int holds_views(ArrowStream *stream)
{
    ArrowSchema schema;
    if (stream->get_schema(stream, &schema)) return 0;
    const int views = strcmp(schema.format, "vu") == 0;
    schema.release(&schema);
    return views;
}

/* Whether all rows of a stream were coded. They must come in one part: where a long text stands is
   told within a part only. */
static int code_stream(ArrowStream *stream, Seen *seen, uint32_t *codes, int64_t rows)
{
    int64_t done = 0;
    int sound = holds_views(stream);
    while (sound) {
        ArrowArray array;
        if (stream->get_next(stream, &array)) return 0;
        if (array.release == NULL) break;
        if (array.length) {
            sound = done == 0 && array.length == rows && code_some(seen, &array, codes) == 0;
            done = array.length;
        }
        array.release(&array);
    }
    return sound && done == rows;
}

static PyObject *code_views(PyObject *self, PyObject *args)
{
    PyObject *capsule;
    Py_buffer codes, first;
    if (!PyArg_ParseTuple(args, "Ow*w*", &capsule, &codes, &first)) return NULL;
    ArrowStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    Seen seen = {.first = first.buf, .most = first.len / (int64_t)sizeof(int64_t), .shift = 63};
    while ((INT64_C(1) << (64 - seen.shift)) < 4 * seen.most) seen.shift--;
    const size_t places = (size_t)1 << (64 - seen.shift);
    int sound = 0;
    if (stream != NULL) {
        seen.views = malloc(places * sizeof(View));
        seen.codes = calloc(places, sizeof(uint32_t));
        if (seen.views == NULL || seen.codes == NULL) {
            PyErr_NoMemory();
        } else {
            Py_BEGIN_ALLOW_THREADS
            sound = code_stream(stream, &seen, codes.buf, codes.len / (int64_t)sizeof(uint32_t));
            Py_END_ALLOW_THREADS
        }
    }
    free(seen.views);
    free(seen.codes);
    PyBuffer_Release(&codes);
    PyBuffer_Release(&first);
    if (PyErr_Occurred()) return NULL;
    return PyLong_FromLongLong(sound ? seen.count : -1);
}

/* -- sums of scores that are whole numbers ------------------------------------------------------- */

typedef struct {
    int64_t high, low; /* the sum is high * 2^32 + low */
} Exact;

/* Sums of what rows score in each group; four copies for the reason that tables have some. */
static void sum_few(const uint8_t *groups, const int32_t *scores, int64_t rows, int64_t size,
                    int64_t *sums)
{
    int64_t copies[4][256];
    memset(copies, 0, sizeof copies);
    int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        copies[0][groups[r]] += scores[r];
        copies[1][groups[r + 1]] += scores[r + 1];
        copies[2][groups[r + 2]] += scores[r + 2];
        copies[3][groups[r + 3]] += scores[r + 3];
    }
    for (; r < rows; r++) copies[0][groups[r]] += scores[r];
    for (int64_t g = 0; g < size; g++)
        sums[g] = copies[0][g] + copies[1][g] + copies[2][g] + copies[3][g];
}

static void sum_more(const uint16_t *groups, const int32_t *scores, int64_t rows, int64_t *sums)
{
    for (int64_t r = 0; r < rows; r++) sums[groups[r]] += scores[r];
}

#define MULTIPLIED(A, B)                                                                           \
    static Exact product_##A##_##B(const A *a, const int32_t *scores_a, const B *b,                \
                                   const int32_t *scores_b, int64_t rows)                          \
    {                                                                                              \
        Exact sum = {0, 0};                                                                        \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            const int64_t product = (int64_t)scores_a[a[r]] * scores_b[b[r]];                      \
            sum.high += product >> 32;                                                             \
            sum.low += product & 0xffffffff;                                                       \
        }                                                                                          \
        return sum;                                                                                \
    }

MULTIPLIED(uint8_t, uint8_t)
MULTIPLIED(uint8_t, uint16_t)
MULTIPLIED(uint8_t, uint32_t)
MULTIPLIED(uint16_t, uint8_t)
MULTIPLIED(uint16_t, uint16_t)
MULTIPLIED(uint16_t, uint32_t)
MULTIPLIED(uint32_t, uint8_t)
MULTIPLIED(uint32_t, uint16_t)
MULTIPLIED(uint32_t, uint32_t)

#define PRODUCT(A, B)                                                                              \
    sum = product_##A##_##B(a->view.buf, scores_a.buf, b->view.buf, scores_b.buf, rows)

static PyObject *score_product(PyObject *self, PyObject *args)
{
    PyObject *codes_a, *codes_b;
    Py_buffer scores_a, scores_b;
    long long rows;
    if (!PyArg_ParseTuple(args, "Oy*Oy*L", &codes_a, &scores_a, &codes_b, &scores_b, &rows))
        return NULL;
    Column columns[2];
    const Column *a = &columns[0], *b = &columns[1];
    PyObject *found = NULL;
    if (take_column(codes_a, &columns[0]) == 0) {
        if (take_column(codes_b, &columns[1]) == 0) {
            Exact sum;
            Py_BEGIN_ALLOW_THREADS
            BY_WIDTHS(PRODUCT)
            Py_END_ALLOW_THREADS
            found = Py_BuildValue("LL", (long long)sum.high, (long long)sum.low);
            PyBuffer_Release(&columns[1].view);
        }
        PyBuffer_Release(&columns[0].view);
    }
    PyBuffer_Release(&scores_a);
    PyBuffer_Release(&scores_b);
    return found;
}

static PyObject *score_sums(PyObject *self, PyObject *args)
{
    Py_buffer groups, scores, sums;
    if (!PyArg_ParseTuple(args, "y*y*w*", &groups, &scores, &sums)) return NULL;
    const int64_t rows = scores.len / (int64_t)sizeof(int32_t);
    const int64_t size = sums.len / (int64_t)sizeof(int64_t);
    const int few = groups.len == rows; /* a byte for each group */
    Py_BEGIN_ALLOW_THREADS
    if (few) sum_few(groups.buf, scores.buf, rows, size, sums.buf);
    else sum_more(groups.buf, scores.buf, rows, sums.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&groups);
    PyBuffer_Release(&scores);
    PyBuffer_Release(&sums);
    Py_RETURN_NONE;
}

/* What the ranks of all rows exceed those of complete rows by: rows below count once, rows above
   count against. `levels` rise, with `counts` incomplete rows each; missing cells score 0. */
static void rank_within(const int32_t *scores, const int64_t *levels, const int64_t *counts,
                        int64_t steps, int64_t size, int32_t *within)
{
    int64_t total = 0, from = 0;
    for (int64_t s = 0; s < steps; s++) total += counts[s];
    int32_t excess = (int32_t)-total;
    for (int64_t s = 0; s < steps; s++) {
        for (; from < levels[s]; from++) within[from] = scores[from] - excess;
        excess += (int32_t)counts[s];
        within[from] = scores[from] - excess;
        from++;
        excess += (int32_t)counts[s];
    }
    for (; from < size; from++) within[from] = scores[from] - excess;
    within[size] = 0;
}

static PyObject *ranks_within(PyObject *self, PyObject *args)
{
    Py_buffer scores, levels, counts, within;
    if (!PyArg_ParseTuple(args, "y*y*y*w*", &scores, &levels, &counts, &within)) return NULL;
    const int64_t size = within.len / (int64_t)sizeof(int32_t) - 1;
    const int64_t steps = levels.len / (int64_t)sizeof(int64_t);
    Py_BEGIN_ALLOW_THREADS
    rank_within(scores.buf, levels.buf, counts.buf, steps, size, within.buf);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&scores);
    PyBuffer_Release(&levels);
    PyBuffer_Release(&counts);
    PyBuffer_Release(&within);
    Py_RETURN_NONE;
}

/* -- sums over sparse rows --------------------------------------------------------------------- */

/* The lower half of a square from the upper one, in tiles that the cache holds. Its lines are
   `wide` apart: it may be a part of a larger one. */
static void mirror(double *square, int64_t size, int64_t wide)
{
    for (int64_t top = 0; top < size; top += TILE)
        for (int64_t left = top; left < size; left += TILE)
            for (int64_t j = top; j < size && j < top + TILE; j++)
                for (int64_t k = left > j ? left : j + 1; k < size && k < left + TILE; k++)
                    square[k * wide + j] = square[j * wide + k];
}

/* One row after the other of Xᵀ W X, from its diagonal on: the row stays in the nearest cache while
   the cells of all rows that have its column pass by. */
static void add_gram(const int32_t *row_starts, const int32_t *places, const double *cells,
                     const int32_t *column_starts, const int32_t *rows, const double *turned,
                     const double *weights, int64_t columns, double *gram, int64_t wide)
{
    for (int64_t j = 0; j < columns; j++) {
        double *sums = gram + j * wide;
        for (int32_t at = column_starts[j]; at < column_starts[j + 1]; at++) {
            const int32_t row = rows[at];
            const double weight = weights == NULL ? 1.0 : weights[row];
            int32_t c = row_starts[row + 1];
            while (c > row_starts[row] && places[c - 1] >= j) {
                c--;
                sums[places[c]] += turned[at] * (weight * cells[c]);
            }
        }
    }
    mirror(gram, columns, wide);
}

/* The sums go to the last rows and columns of a square that is so many wide. */
static PyObject *gram_into(PyObject *self, PyObject *args)
{
    Py_buffer starts, places, cells, column_starts, rows, turned, weights, gram;
    long long wide;
    if (!PyArg_ParseTuple(args, "y*y*y*y*y*y*z*w*L", &starts, &places, &cells, &column_starts,
                          &rows, &turned, &weights, &gram, &wide))
        return NULL;
    const int64_t columns = column_starts.len / (int64_t)sizeof(int32_t) - 1;
    double *first = (double *)gram.buf + (wide - columns) * (wide + 1);
    Py_BEGIN_ALLOW_THREADS
    add_gram(starts.buf, places.buf, cells.buf, column_starts.buf, rows.buf, turned.buf,
             weights.buf, columns, first, wide);
    Py_END_ALLOW_THREADS
    PyBuffer_Release(&starts);
    PyBuffer_Release(&places);
    PyBuffer_Release(&cells);
    PyBuffer_Release(&column_starts);
    PyBuffer_Release(&rows);
    PyBuffer_Release(&turned);
    if (weights.obj != NULL) PyBuffer_Release(&weights);
    PyBuffer_Release(&gram);
    Py_RETURN_NONE;
}

/* Each row is in `width` cells, and each cell has `deep` numbers: those of a row's cells added up,
   or each row's own numbers added to its cells. */
#define CELLS(TYPE)                                                                                \
    static inline void gather_##TYPE(const TYPE *places, int64_t rows, int64_t width,              \
                                     const double *table, int deep, double *sums)                  \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            double *own = sums + r * deep;                                                         \
            for (int64_t c = 0; c < width; c++) {                                                  \
                const double *cell = table + (int64_t)places[r * width + c] * deep;                \
                for (int d = 0; d < deep; d++) own[d] += cell[d];                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* Numbers of the usual depth stay with the processor until a row is done. */                  \
    static void gather_folds_##TYPE(const TYPE *places, int64_t rows, int64_t width,               \
                                    const double *table, double *sums)                             \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            double own[FOLDS] = {0};                                                               \
            for (int64_t c = 0; c < width; c++) {                                                  \
                const double *cell = table + (int64_t)places[r * width + c] * FOLDS;               \
                for (int d = 0; d < FOLDS; d++) own[d] += cell[d];                                 \
            }                                                                                      \
            memcpy(sums + r * FOLDS, own, sizeof own);                                             \
        }                                                                                          \
    }                                                                                              \
    static inline void scatter_##TYPE(const TYPE *places, int64_t rows, int64_t width,             \
                                      const double *values, int deep, double *table)               \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            const double *own = values + r * deep;                                                 \
            for (int64_t c = 0; c < width; c++) {                                                  \
                double *cell = table + (int64_t)places[r * width + c] * deep;                      \
                for (int d = 0; d < deep; d++) cell[d] += own[d];                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    static void scatter_folds_##TYPE(const TYPE *places, int64_t rows, int64_t width,              \
                                     const double *values, double *table)                          \
    {                                                                                              \
        for (int64_t r = 0; r < rows; r++) {                                                       \
            const double *own = values + r * FOLDS;                                                \
            const double a = own[0], b = own[1], c = own[2], d = own[3], e = own[4];               \
            for (int64_t at = r * width; at < (r + 1) * width; at++) {                             \
                double *cell = table + (int64_t)places[at] * FOLDS;                                \
                cell[0] += a;                                                                      \
                cell[1] += b;                                                                      \
                cell[2] += c;                                                                      \
                cell[3] += d;                                                                      \
                cell[4] += e;                                                                      \
            }                                                                                      \
        }                                                                                          \
    }

CELLS(uint16_t)
CELLS(uint32_t)

/* The usual depth, five folds, is known to the compiler. */
#define DEEP(DO, TYPE)                                                                             \
    if (deep == FOLDS) DO##_folds_##TYPE(places.buf, rows, width, from.buf, to.buf);               \
    else DO##_##TYPE(places.buf, rows, width, from.buf, deep, to.buf)

#define CELL_SUMS(DO)                                                                              \
    Py_buffer places, from, to;                                                                    \
    long long rows, width;                                                                         \
    int deep, bytes;                                                                               \
    if (!PyArg_ParseTuple(args, "y*iLLy*iw*", &places, &bytes, &rows, &width, &from, &deep, &to))  \
        return NULL;                                                                               \
    Py_BEGIN_ALLOW_THREADS                                                                         \
    if (bytes == 2) {                                                                              \
        DEEP(DO, uint16_t);                                                                        \
    } else {                                                                                       \
        DEEP(DO, uint32_t);                                                                        \
    }                                                                                              \
    Py_END_ALLOW_THREADS                                                                           \
    PyBuffer_Release(&places);                                                                     \
    PyBuffer_Release(&from);                                                                       \
    PyBuffer_Release(&to);                                                                         \
    Py_RETURN_NONE;

static PyObject *gather_cells(PyObject *self, PyObject *args) { CELL_SUMS(gather) }

static PyObject *scatter_cells(PyObject *self, PyObject *args) { CELL_SUMS(scatter) }

/* Ranks out of tables: complete rows stand in all rows and columns but the last ones. For each table
   its complete rows, those of each group and their sum of doubled centred ranks by columns, and the
   squares and products of the ranks by rows and by columns. Callers see to it that all fits. */
static void rank_table(const int64_t *table, int64_t height, int64_t width, int64_t *columns,
                       int64_t *groups, int64_t *sums, int64_t *whole)
{
    const int64_t high = height - 1, wide = width - 1;
    memset(columns, 0, (size_t)wide * sizeof(int64_t));
    int64_t rows = 0;
    for (int64_t i = 0; i < high; i++) {
        const int64_t *line = table + i * width;
        int64_t here = 0;
        for (int64_t j = 0; j < wide; j++) {
            columns[j] += line[j];
            here += line[j];
        }
        groups[i] = here;
        rows += here;
    }
    int64_t below = 0, by_rows = 0, by_columns = 0, product = 0;
    for (int64_t j = 0; j < wide; j++) {
        const int64_t count = columns[j], rank = 2 * below + count - rows;
        by_columns += count * rank * rank;
        below += count;
        columns[j] = rank;
    }
    below = 0;
    for (int64_t i = 0; i < high; i++) {
        const int64_t *line = table + i * width;
        const int64_t rank = 2 * below + groups[i] - rows;
        int64_t sum = 0;
        for (int64_t j = 0; j < wide; j++) sum += line[j] * columns[j];
        by_rows += groups[i] * rank * rank;
        product += rank * sum;
        below += groups[i];
        sums[i] = sum;
    }
    whole[0] = rows;
    whole[1] = by_rows;
    whole[2] = by_columns;
    whole[3] = product;
}

/* `tables` has for each: where its cells start, its height, its width, where its groups start. */
static PyObject *rank_tables(PyObject *self, PyObject *args)
{
    Py_buffer cells, tables, groups, sums, whole;
    Py_ssize_t first, last;
    if (!PyArg_ParseTuple(args, "y*y*nnw*w*w*", &cells, &tables, &first, &last, &groups, &sums,
                          &whole))
        return NULL;
    const int64_t *table = tables.buf;
    int64_t widest = 1;
    for (Py_ssize_t t = first; t < last; t++)
        if (table[4 * t + 2] > widest) widest = table[4 * t + 2];
    int64_t *columns = malloc((size_t)widest * sizeof(int64_t));
    if (columns != NULL) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t t = first; t < last; t++) {
            const int64_t *at = table + 4 * t;
            rank_table((const int64_t *)cells.buf + at[0], at[1], at[2], columns,
                       (int64_t *)groups.buf + at[3], (int64_t *)sums.buf + at[3],
                       (int64_t *)whole.buf + 4 * t);
        }
        Py_END_ALLOW_THREADS
        free(columns);
    }
    PyBuffer_Release(&cells);
    PyBuffer_Release(&tables);
    PyBuffer_Release(&groups);
    PyBuffer_Release(&sums);
    PyBuffer_Release(&whole);
    if (columns == NULL) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* The same from the rows themselves, which are fewer than a table has cells: a row is complete where
   its codes are below the numbers of levels. */
static void rank_rows(const uint32_t *a, const uint32_t *b, int64_t rows, int64_t high, int64_t wide,
                      int64_t *columns, int64_t *groups, int64_t *sums, int64_t *whole)
{
    memset(columns, 0, (size_t)wide * sizeof(int64_t));
    memset(groups, 0, (size_t)high * sizeof(int64_t));
    memset(sums, 0, (size_t)high * sizeof(int64_t));
    int64_t complete = 0;
    for (int64_t r = 0; r < rows; r++) {
        if (a[r] >= high || b[r] >= wide) continue;
        complete++;
        groups[a[r]]++;
        columns[b[r]]++;
    }
    int64_t below = 0, by_rows = 0, by_columns = 0, product = 0;
    for (int64_t j = 0; j < wide; j++) {
        const int64_t count = columns[j], rank = 2 * below + count - complete;
        by_columns += count * rank * rank;
        below += count;
        columns[j] = rank;
    }
    for (int64_t r = 0; r < rows; r++)
        if (a[r] < high && b[r] < wide) sums[a[r]] += columns[b[r]];
    below = 0;
    for (int64_t i = 0; i < high; i++) {
        const int64_t rank = 2 * below + groups[i] - complete;
        by_rows += groups[i] * rank * rank;
        product += rank * sums[i];
        below += groups[i];
    }
    whole[0] = complete;
    whole[1] = by_rows;
    whole[2] = by_columns;
    whole[3] = product;
}

/* Pairs are: columns a and b, levels of a and b, and where the sums of a's groups stand; -1 where
   nobody asks for them. */
static PyObject *rank_pairs(PyObject *self, PyObject *args)
{
    Py_buffer codes, pairs, groups, sums, whole;
    Py_ssize_t rows, first, last;
    if (!PyArg_ParseTuple(args, "y*ny*nnw*w*w*", &codes, &rows, &pairs, &first, &last, &groups, &sums,
                          &whole))
        return NULL;
    const int64_t *pair = pairs.buf;
    int64_t most = 1;
    for (Py_ssize_t p = first; p < last; p++)
        for (int side = 2; side < 4; side++)
            if (pair[5 * p + side] > most) most = pair[5 * p + side];
    int64_t *room = malloc(3 * (size_t)most * sizeof(int64_t));
    if (room != NULL) {
        Py_BEGIN_ALLOW_THREADS
        for (Py_ssize_t p = first; p < last; p++) {
            const int64_t *at = pair + 5 * p;
            int64_t *here = at[4] < 0 ? room + most : (int64_t *)groups.buf + at[4];
            int64_t *added = at[4] < 0 ? room + 2 * most : (int64_t *)sums.buf + at[4];
            rank_rows((const uint32_t *)codes.buf + at[0] * rows,
                      (const uint32_t *)codes.buf + at[1] * rows, rows, at[2], at[3], room, here,
                      added, (int64_t *)whole.buf + 4 * p);
        }
        Py_END_ALLOW_THREADS
        free(room);
    }
    PyBuffer_Release(&codes);
    PyBuffer_Release(&pairs);
    PyBuffer_Release(&groups);
    PyBuffer_Release(&sums);
    PyBuffer_Release(&whole);
    if (room == NULL) return PyErr_NoMemory();
    Py_RETURN_NONE;
}

/* -- paths ------------------------------------------------------------------------------------- */

/* The share of lattice paths from (0, 0) to (m, n), m > n, that touch |x n - y m| >= h g: the exact p
   of the two-sample Kolmogorov-Smirnov test, column by column in a window that slides (as scipy). */
static double share_outside(int64_t m, int64_t n, int64_t g, int64_t h, double *column)
{
    const int64_t mg = m / g, ng = n / g;
    int64_t low = 0, high = (h + mg - 1) / mg;
    if (high > n + 1) high = n + 1;
    int64_t length = high;
    for (int64_t j = 0; j <= n; j++) column[j] = j < high ? 0.0 : 1.0;
    for (int64_t i = 1; i <= m; i++) {
        const int64_t last_low = low, last_length = length, below = ng * i - h;
        low = below < 0 ? 0 : below / mg + 1;
        if (low > n) low = n;
        high = (ng * i + h + mg - 1) / mg;
        if (high > n + 1) high = n + 1;
        if (high <= low) return 1.0;
        double value = low == 0 ? 0.0 : 1.0;
        for (int64_t k = 0; k < high - low; k++) {
            const int64_t j = k + low;
            value = (column[j - last_low] * (double)i + value * (double)j) / (double)(i + j);
            column[k] = value;
        }
        length = high - low;
        for (int64_t k = length; k < last_length; k++) column[k] = 1.0;
    }
    return column[length - 1];
}

static PyObject *paths_outside(PyObject *self, PyObject *args)
{
    Py_ssize_t m, n, g, h;
    if (!PyArg_ParseTuple(args, "nnnn", &m, &n, &g, &h)) return NULL;
    double *column = malloc((size_t)(n + 2) * sizeof(double));
    if (column == NULL) return PyErr_NoMemory();
    double share;
    Py_BEGIN_ALLOW_THREADS
    share = share_outside(m, n, g, h, column);
    Py_END_ALLOW_THREADS
    free(column);
    return PyFloat_FromDouble(share);
}

static PyMethodDef methods[] = {
    {"count_pairs", count_pairs, METH_VARARGS, "Tables of pairs of columns."},
    {"count_codes", count_codes, METH_VARARGS, "How often each code occurs."},
    {"sort_codes", sort_codes, METH_VARARGS, "The codes that occur, rising, and how often."},
    {"code_numbers", code_numbers, METH_VARARGS, "Distinct numbers, and the place of each row's."},
    {"code_views", code_views, METH_VARARGS, "Few distinct texts, and the number of each row's."},
    {"index_numbers", index_numbers, METH_VARARGS, "Where parts of a rising list begin."},
    {"place_numbers", place_numbers, METH_VARARGS, "The place of each number in a rising list."},
    {"merge_places", merge_places, METH_VARARGS, "Places of two rising lists in that of both."},
    {"score_product", score_product, METH_VARARGS, "Sum of products of two columns' scores."},
    {"score_sums", score_sums, METH_VARARGS, "Sums of a column's scores by groups."},
    {"ranks_within", ranks_within, METH_VARARGS, "Ranks among complete rows."},
    {"gram_into", gram_into, METH_VARARGS, "Sums of products of sparse columns."},
    {"gather_cells", gather_cells, METH_VARARGS, "Sums over the cells of each row."},
    {"scatter_cells", scatter_cells, METH_VARARGS, "Sums over the rows of each cell."},
    {"rank_pairs", rank_pairs, METH_VARARGS, "Sums of ranks out of rows."},
    {"rank_tables", rank_tables, METH_VARARGS, "Sums of ranks out of tables."},
    {"paths_outside", paths_outside, METH_VARARGS, "Share of lattice paths outside two lines."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_loops", "Loops over codes, compiled.", -1, methods, NULL, NULL, NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__loops(void) { return PyModule_Create(&module); }
