/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Real places and messages beyond int. Places need only addresses: rows are 512 MiB apart, and only
 * their first bytes are accessed. Messages, and arrays, of more than 2^31 bytes and elements need
 * up to 18 GiB of memory: make check-large, which sets WEFT_TEST_LARGE.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "api/fftw3-mpi.h"
#include "backends/exchange/blocks.h"
#include "kernels/base/error.h"
#include "tests/mpi/transfers.h"
#include "tests/mpi/harness.h"

enum { ELEMENT = 16 };

typedef struct {
    int64_t index, check;
} element;

/* Returns zeros; only pages that are written use memory. */
static void *reserve(ptrdiff_t elements)
{
    size_t bytes = (size_t)(elements + 1) * sizeof(element);
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void give_back(void *memory, ptrdiff_t elements)
{
    if (memory)
        munmap(memory, (size_t)(elements + 1) * sizeof(element));
}

enum { PLANES = 6, ROWS = 8, COLUMNS = 3, APART = 1 << 25 };

/* Writes the elements of this rank, or counts wrong ones, in planes and rows from `first` to before
 * `end`. */
static int visit(element *array, const ptrdiff_t *first, const ptrdiff_t *end, bool write)
{
    int wrong = 0;
    for (ptrdiff_t a = first[0]; a < end[0]; a++)
        for (ptrdiff_t b = first[1]; b < end[1]; b++)
            for (ptrdiff_t c = 0; c < COLUMNS; c++) {
                ptrdiff_t row = (a - first[0]) * (end[1] - first[1]) + b - first[1];
                element *at = &array[row * APART + c];
                element right = {(a * ROWS + b) * COLUMNS + c, ~a};
                if (write)
                    *at = right;
                wrong += at->index != right.index || at->check != right.check;
            }
    return wrong;
}

/* Writes this rank's range of `size` indices. */
static void part(ptrdiff_t size, ptrdiff_t *first, ptrdiff_t *end)
{
    ptrdiff_t block = (size + ranks - 1) / ranks;
    *first = rank * block < size ? rank * block : size;
    *end = *first + block < size ? *first + block : size;
}

/* Does the exchange in every way. `fill` writes the source; `wrong` counts wrong elements of the
 * target and clears it. */
static void check_far(const weft_layout *from, const weft_layout *to, size_t size,
                      void (*fill)(element *in, ptrdiff_t elements), int (*wrong)(element *out))
{
    char text[200] = "";
    method methods[MOST_WAYS];
    weft_exchange *exchange = weft_exchange_create(from, to, size, 0, NULL, MPI_COMM_WORLD);
    all_true(exchange, "%s", weft_error_text());
    element *in = reserve(exchange->in_elements), *out = reserve(exchange->out_elements);
    all_true(in && out, "no memory, or so many addresses cannot be reserved");
    fill(in, exchange->in_elements);
    const int number = transfer_ways(exchange, MPI_COMM_WORLD, methods);
    for (int i = 0; i < number; i++) {
        weft_prepared *prepared = weft_prepare(exchange, methods[i].backend, methods[i].value);
        all_true(prepared, "%s", weft_error_text());
        size_t bytes = prepared->workspace;
        void *work = reserve((ptrdiff_t)(bytes / sizeof(element)) + 1);
        weft_prepared_run(prepared, in, out, work);
        int bad = wrong(out);
        if (bad && !text[0])
            snprintf(text, sizeof text, "%s:%d moves %d elements wrongly", methods[i].backend->name,
                     methods[i].value, bad);
        weft_prepared_release(prepared);
        give_back(work, (ptrdiff_t)(bytes / sizeof(element)) + 1);
    }
    all_true(!text[0], "%s", text);
    give_back(in, exchange->in_elements);
    give_back(out, exchange->out_elements);
    weft_exchange_destroy(exchange);
}

/* The parts of the source and the target. */
static ptrdiff_t source_first[2], source_end[2], target_first[2], target_end[2];

static void rows_fill(element *in, ptrdiff_t elements)
{
    (void)elements;
    visit(in, source_first, source_end, true);
}

static int rows_wrong(element *out)
{
    int wrong = visit(out, target_first, target_end, false);
    for (ptrdiff_t row = 0; row < PLANES * (target_end[1] - target_first[1]); row++)
        for (int c = 0; c < COLUMNS; c++)
            out[row * APART + c] = (element){0, 0};
    return wrong;
}

TEST(every_backend_addresses_places_beyond_int)
{
    if (sizeof(ptrdiff_t) == sizeof(int)) /* no place is beyond int */
        return;
    const ptrdiff_t size[] = {PLANES, ROWS, COLUMNS};
    weft_layout from, to;
    transfer_layout(&from, "a0 b c", size, 1, ranks);
    transfer_layout(&to, "a b0 c", size, 1, ranks);
    from.padded = to.padded = APART;
    target_end[0] = PLANES;
    source_end[1] = ROWS;
    part(PLANES, &source_first[0], &source_end[0]);
    part(ROWS, &target_first[1], &target_end[1]);
    check_far(&from, &to, ELEMENT, rows_fill, rows_wrong);
}

/* Whether large cases are requested and the machine has the memory; rank 0 decides. */
static bool may_be_large(const char *what, int gigabytes)
{
    char line[128];
    unsigned long long available = 0;
    int ok = ranks == 2 && getenv("WEFT_TEST_LARGE");
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && !available && fgets(line, sizeof line, file))
        sscanf(line, "MemAvailable: %llu kB", &available);
    if (file)
        fclose(file);
    if (ok && available >> 20 < (unsigned long long)gigabytes) {
        ok = 0;
        if (rank == 0)
            printf("%s: skipped, needs %d GiB of free memory, of which there are %llu\n", what,
                   gigabytes, available >> 20);
    }
    MPI_Bcast(&ok, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return ok;
}

/* Half of each case is slightly more than 2 GiB, in elements of 16 bytes, and of 1 byte. */
static const struct {
    const char *name;
    size_t element;
    ptrdiff_t size;
} longs[] = {{"elements of 16 bytes", ELEMENT, (1 << 28) + 100000},
             {"elements of a byte", 1, ((ptrdiff_t)1 << 32) + 1600001}};

static ptrdiff_t long_first, long_end;
static bool of_bytes;

static uint8_t byte_at(ptrdiff_t i)
{
    return (uint8_t)((uint64_t)i * UINT64_C(0x9e3779b97f4a7c15) >> 56);
}

static int long_wrong(element *out)
{
    int wrong = 0;
    uint8_t *byte = (uint8_t *)out;
    for (ptrdiff_t i = long_first; i < long_end; i++) {
        const ptrdiff_t at = i - long_first;
        wrong += of_bytes ? byte[at] != byte_at(i) : out[at].index != i || out[at].check != ~i;
    }
    memset(out, 0, (size_t)(long_end - long_first) * (of_bytes ? 1 : ELEMENT));
    return wrong;
}

static void long_fill(element *in, ptrdiff_t elements)
{
    uint8_t *byte = (uint8_t *)in;
    for (ptrdiff_t i = 0; i < elements; i++) {
        if (of_bytes)
            byte[i] = byte_at(i);
        else
            in[i] = (element){i, ~i};
    }
}

TEST(every_backend_sends_messages_beyond_int, .to = 2)
{
    const ptrdiff_t size[] = {longs[_i].size};
    weft_layout from, to;
    if (!may_be_large(longs[_i].name, 16))
        return;
    of_bytes = longs[_i].element == 1;
    transfer_layout(&from, "a", size, 1, ranks);
    transfer_layout(&to, "a0", size, 1, ranks);
    part(size[0], &long_first, &long_end);
    check_far(&from, &to, longs[_i].element, long_fill, long_wrong);
}

#if defined(WEFT_HAVE_FLOAT)
/* A square of more than 2^31 numbers, transposed in place. Below 2^24 a float is exact. */
enum { SQUARE = 46342 };

static float square_at(ptrdiff_t row, ptrdiff_t column)
{
    return (float)((row * SQUARE + column) % 16777213);
}

TEST(arrays_of_more_numbers_than_int_holds_are_transposed)
{
    ptrdiff_t rows, first, columns, first_column, wrong = 0;
    if (!may_be_large("a plan", 18))
        return;
    const ptrdiff_t size = fftwf_mpi_local_size_2d_transposed(SQUARE, SQUARE, MPI_COMM_WORLD, &rows,
                                                              &first, &columns, &first_column);
    float *data = fftwf_alloc_real((size_t)size);
    all_true(data, "no memory");
    fftwf_plan plan =
        fftwf_mpi_plan_transpose(SQUARE, SQUARE, data, data, MPI_COMM_WORLD, FFTW_ESTIMATE);
    all_true(plan, "%s", weft_error_text());
    for (ptrdiff_t row = 0; row < rows; row++)
        for (ptrdiff_t column = 0; column < SQUARE; column++)
            data[row * SQUARE + column] = square_at(first + row, column);
    fftwf_execute(plan);
    for (ptrdiff_t column = 0; column < columns; column++)
        for (ptrdiff_t row = 0; row < SQUARE; row++)
            wrong += data[column * SQUARE + row] != square_at(row, first_column + column);
    all_true(wrong == 0, "%td numbers of %td are wrong", wrong, columns * SQUARE);
    fftwf_destroy_plan(plan);
    fftwf_free(data);
}
#endif

/* Types of more elements than int counts; the test checks only their size and extent. Rows of 3 x
 * 2^31 elements, and every second of 2^33 elements. */
static const ptrdiff_t counts[2] = {4, INT64_C(6442450944)};
static const ptrdiff_t rows_apart[2] = {INT64_C(8000000000), 1}, sparse[2] = {INT64_C(1) << 35, 2};

static const weft_block blocks[] = {{.elements = 4 * INT64_C(6442450944),
                                     .offset = INT64_C(1) << 33,
                                     .count = counts,
                                     .stride = rows_apart,
                                     .axes = 2},
                                    {.elements = 4 * INT64_C(6442450944),
                                     .offset = 5,
                                     .count = counts,
                                     .stride = sparse,
                                     .axes = 2}};

static const ptrdiff_t bytes[] = {0,
                                  1,
                                  INT_MAX,
                                  (ptrdiff_t)INT_MAX + 1,
                                  INT64_C(5) << 30,
                                  (INT64_C(5) << 30) + 12345,
                                  INT64_C(1) << 40};

enum { BLOCKS = 2, TYPES = BLOCKS + sizeof bytes / sizeof *bytes };

TEST(counts_beyond_int_make_one_type, .to = TYPES)
{
    if (sizeof(ptrdiff_t) == sizeof(int)) /* no place is beyond int */
        return;
    const weft_exchange exchange = {.element = ELEMENT};
    const weft_block *block = _i < BLOCKS ? &blocks[_i] : NULL;
    ptrdiff_t first = 0, all = block ? 0 : bytes[_i - BLOCKS], last = all;
    MPI_Count size = -1, begin = -1, reach = -1;
    MPI_Datatype type;
    if (block) {
        first = ELEMENT * block->offset;
        all = ELEMENT * block->elements;
        last = ELEMENT * (3 * block->stride[0] + (counts[1] - 1) * block->stride[1] + 1);
    }
    const bool ok = block ? weft_services_ours.piece_type(&exchange, block, &type)
                          : weft_services_ours.bytes_type(all, &type);
    all_true(ok, "%s", weft_error_text());
    MPI_Type_size_x(type, &size);
    MPI_Type_get_true_extent_x(type, &begin, &reach);
    MPI_Type_free(&type);
    all_true(size == all && begin == first && reach == last,
             "case %d: a type of %lld bytes from %lld, %lld long", _i, (long long)size,
             (long long)begin, (long long)reach);
}
