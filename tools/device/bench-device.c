/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Times the transform of a cube in device memory, on all ranks of the program. On one rank it also
 * times the device library's own plan of three axes, and a copy of the array. The copy shows how
 * fast the memory is: a transform that sweeps over the array once for each of three axes takes at
 * least three times as long as the copy. The contenders take turns; the output has medians. Not
 * installed: tools/device/on-gpu runs this program.
 *
 *     bench-device [-n points] [-r] [-t] [-f] [-x] [-c runs]
 *         -n  points along each axis (128)
 *         -r  real to complex; default: complex to complex
 *         -t  transposed output
 *         -f  float; default: double
 *         -x  only the exchange of the transform, on two ranks or more: a plan that transposes,
 * beside copies of its messages to the host and back (the bus alone), and the same messages between
 * arrays of the host (MPI alone) -c  number of runs of each contender (20)
 *
 * Prints a heading and a line: points, transform, ranks, order, seconds of Weft and of the library,
 * their ratio, seconds of the copy, and the copy's bytes per second. With -x: points, ranks, bytes
 * that a rank sends, seconds of the bus, of MPI and of Weft, and the share of the slower of the two
 * in Weft's time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "api/fftw3-mpi.h"
#include "kernels/device/device.h"
#include "tools/median.h"

enum { MOST_RUNS = 1000, MOST_RANKS = 64 };

typedef struct {
    ptrdiff_t n;
    bool real, transposed, single, exchange;
    int runs;
} options;

/* A contender: either a plan of Weft, a transform of the device library, a copy, copies by the bus,
 * or messages. */
typedef struct {
    fftw_plan plan;
    void *float_plan;
    weft_device_transform *transform;
    size_t copied, bus, messages; /* bytes */
    double seconds[MOST_RUNS];
} contender;

static const weft_device_library *device;
static weft_queue *queue, *up;
static void *in, *out, *work, *host[2];
static int rank, ranks;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "bench-device: %s: %s\n", what, why);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

static options read_options(int argc, char **argv)
{
    options it = {.n = 128, .runs = 20};
    for (int c; (c = getopt(argc, argv, "n:rtfxc:")) != -1;)
        if (c == 'n')
            it.n = atol(optarg);
        else if (c == 'r')
            it.real = true;
        else if (c == 't')
            it.transposed = true;
        else if (c == 'f')
            it.single = true;
        else if (c == 'x')
            it.exchange = true;
        else if (c == 'c')
            it.runs = atoi(optarg);
        else
            fail("usage", "bench-device [-n points] [-r] [-t] [-f] [-x] [-c runs]");
    if (it.exchange && (ranks < 2 || ranks > MOST_RANKS || it.n % ranks))
        fail("usage", "-x needs 2 to 64 ranks, and points that they divide evenly");
    if (it.n < 1 || it.runs < 1 || it.runs > MOST_RUNS)
        fail("usage", "points and runs (at most 1000) are numbers above 0");
    return it;
}

static void load(void)
{
    const char *name = getenv("WEFT_DEVICE");
    void *module = dlopen(name ? name : "libweft-cuda.so.0", RTLD_NOW | RTLD_LOCAL);
    device = module ? dlsym(module, WEFT_DEVICE_SYMBOL) : NULL;
    if (!device)
        fail("no device library", module ? name : dlerror());
    if (device->count() < 1 || !device->use(rank % device->count()))
        fail("no device", device->why());
    queue = device->queue_create();
    up = device->queue_create();
    if (!queue || !up)
        fail("no queue", device->why());
}

/* Plans. */

static unsigned flags_of(const options *it)
{
    return FFTW_MEASURE | (it->transposed ? FFTW_MPI_TRANSPOSED_OUT : 0);
}

static size_t bytes_of(const options *it)
{
    ptrdiff_t n = it->n, start, count, last = it->real ? n / 2 + 1 : n, other, other_start;
    ptrdiff_t numbers = fftw_mpi_local_size_3d_transposed(n, n, last, MPI_COMM_WORLD, &count,
                                                          &start, &other, &other_start);
    return (size_t)(numbers > 0 ? numbers : 1) *
           (it->single ? sizeof(fftwf_complex) : sizeof(fftw_complex));
}

static contender weft_of(const options *it)
{
    ptrdiff_t n = it->n;
    contender c = {0};
    if (it->exchange)
        c.plan = fftw_mpi_plan_many_transpose(n, n, 2 * n, FFTW_MPI_DEFAULT_BLOCK,
                                              FFTW_MPI_DEFAULT_BLOCK, in, out, MPI_COMM_WORLD,
                                              flags_of(it));
    else if (it->single && it->real)
        c.float_plan = fftwf_mpi_plan_dft_r2c_3d(n, n, n, in, out, MPI_COMM_WORLD, flags_of(it));
    else if (it->single)
        c.float_plan =
            fftwf_mpi_plan_dft_3d(n, n, n, in, out, MPI_COMM_WORLD, FFTW_FORWARD, flags_of(it));
    else if (it->real)
        c.plan = fftw_mpi_plan_dft_r2c_3d(n, n, n, in, out, MPI_COMM_WORLD, flags_of(it));
    else
        c.plan = fftw_mpi_plan_dft_3d(n, n, n, in, out, MPI_COMM_WORLD, FFTW_FORWARD, flags_of(it));
    if (!c.plan && !c.float_plan)
        fail("no plan", "Weft has said why");
    return c;
}

/* Makes the device library's plan for arrays in FFTW-MPI's format, where rows of real numbers are
 * padded. */
static contender library_of(const options *it)
{
    ptrdiff_t n = it->n, half = it->real ? n / 2 + 1 : n, row = it->real ? 2 * half : n;
    weft_device_spec spec = {.kind = it->real ? WEFT_DEVICE_R2C : WEFT_DEVICE_C2C,
                             .single = it->single,
                             .sign = -1,
                             .axes = 3,
                             .size = {n, n, n},
                             .batch = 1,
                             .in_embed = {n, n, row},
                             .in_stride = 1,
                             .in_distance = n * n * row,
                             .out_embed = {n, n, half},
                             .out_stride = 1,
                             .out_distance = n * n * half};
    size_t bytes;
    contender c = {.transform = device->transform_create(&spec, &bytes)};
    work = c.transform ? device->allocate(bytes) : NULL;
    if (!work)
        fail("no plan of the library's own", device->why());
    return c;
}

/* The exchange: this rank keeps one of `ranks` parts of its array and sends the others. */
static void exchange_of(contender *c, size_t bytes)
{
    c[1].bus = c[2].messages = bytes / (size_t)ranks;
    for (int i = 0; i < 2; i++)
        if (!(host[i] = device->allocate_pinned(bytes)))
            fail("no pinned memory", device->why());
    memset(host[0], 0, bytes);
}

/* Copies the messages to the host and, at the same time, from the host. */
static bool run_bus(size_t message)
{
    bool fine = true;
    for (int peer = 1; fine && peer < ranks; peer++)
        fine = device->copy(host[0], (char *)in + (size_t)peer * message, message, queue) &&
               device->copy((char *)out + (size_t)peer * message, host[1], message, up);
    return fine && device->queue_wait(queue) && device->queue_wait(up);
}

static void run_messages(size_t message)
{
    MPI_Request request[2 * MOST_RANKS];
    MPI_Status status[2 * MOST_RANKS];
    for (int peer = 1; peer < ranks; peer++) {
        const int to = (rank + peer) % ranks, from = (rank + ranks - peer) % ranks;
        MPI_Irecv((char *)host[1] + (size_t)from * message, (int)(message / sizeof(double)),
                  MPI_DOUBLE, from, 0, MPI_COMM_WORLD, &request[2 * peer - 2]);
        MPI_Isend((char *)host[0] + (size_t)to * message, (int)(message / sizeof(double)),
                  MPI_DOUBLE, to, 0, MPI_COMM_WORLD, &request[2 * peer - 1]);
    }
    MPI_Waitall(2 * (ranks - 1), request, status);
}

/* Runs. */

static void run(const contender *c)
{
    bool fine = true;
    if (c->plan)
        fftw_execute(c->plan);
    else if (c->float_plan)
        fftwf_execute(c->float_plan);
    else if (c->transform)
        fine =
            device->transform_run(c->transform, in, out, work, queue) && device->queue_wait(queue);
    else if (c->bus)
        fine = run_bus(c->bus);
    else if (c->messages)
        run_messages(c->messages);
    else
        fine = device->copy(out, in, c->copied, queue) && device->queue_wait(queue);
    if (!fine)
        fail("run", device->why());
}

static void take_turns(contender *c, int contenders, int runs)
{
    for (int round = -2; round < runs; round++)
        for (int k = 0; k < contenders; k++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            run(&c[k]);
            MPI_Barrier(MPI_COMM_WORLD);
            if (round >= 0)
                c[k].seconds[round] = MPI_Wtime() - begin;
        }
}

static void report_exchange(const options *it, contender *c)
{
    const double weft = median_of(c[0].seconds, it->runs), bus = median_of(c[1].seconds, it->runs),
                 messages = median_of(c[2].seconds, it->runs);
    puts("points\tranks\tbytes sent\tbus\tMPI\tWeft\tshare");
    printf("%td\t%d\t%zu\t%.3e\t%.3e\t%.3e\t%.2f\n", it->n, ranks, (size_t)(ranks - 1) * c[1].bus,
           bus, messages, weft, (bus > messages ? bus : messages) / weft);
}

static void report(const options *it, contender *c, int contenders, size_t bytes)
{
    double weft = median_of(c[0].seconds, it->runs);
    puts("points\twhat\tranks\torder\tWeft\tlibrary\tratio\tcopy\tbytes/s");
    printf("%td\t%s%s\t%d\t%s\t%.3e", it->n, it->real ? "r2c" : "c2c", it->single ? " float" : "",
           ranks, it->transposed ? "transposed" : "natural", weft);
    if (contenders == 3) {
        double library = median_of(c[1].seconds, it->runs),
               copy = median_of(c[2].seconds, it->runs);
        printf("\t%.3e\t%.2f\t%.3e\t%.3e", library, weft / library, copy, 2 * (double)bytes / copy);
    } else {
        printf("\t-\t-\t-\t-");
    }
    puts("");
}

static void clean_up(contender *c)
{
    if (c[0].plan)
        fftw_destroy_plan(c[0].plan);
    if (c[0].float_plan)
        fftwf_destroy_plan(c[0].float_plan);
    if (c[1].transform)
        device->transform_destroy(c[1].transform);
    device->release(work);
    device->release(in);
    device->release(out);
    device->release_pinned(host[0]);
    device->release_pinned(host[1]);
    device->queue_destroy(queue);
    device->queue_destroy(up);
}

/* Fills the array with arbitrary numbers, because devices are faster with zeros. Transforms out of
 * place do not change the input. */
static void fill(const options *it, size_t bytes)
{
    size_t part = bytes < (1 << 20) ? bytes : 1 << 20;
    double *numbers = device->allocate_pinned(part);
    if (!numbers)
        fail("no pinned memory", device->why());
    for (size_t i = 0; i < part / sizeof *numbers; i++)
        if (it->single)
            ((float *)numbers)[2 * i] = ((float *)numbers)[2 * i + 1] = (float)rand() / 1e9f;
        else
            numbers[i] = rand() / 1e9;
    for (size_t at = 0; at < bytes; at += part) {
        size_t left = bytes - at < part ? bytes - at : part;
        if (!device->copy((char *)in + at, numbers, left, queue) || !device->queue_wait(queue))
            fail("copy", device->why());
    }
    device->release_pinned(numbers);
}

int main(int argc, char **argv)
{
    static contender c[3];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    options it = read_options(argc, argv);
    load();
    fftw_mpi_init();
    fftwf_mpi_init();
    size_t bytes = bytes_of(&it);
    in = device->allocate(bytes);
    out = device->allocate(bytes);
    if (!in || !out)
        fail("no memory", device->why());
    int contenders = ranks == 1 || it.exchange ? 3 : 1;
    c[0] = weft_of(&it);
    if (it.exchange)
        exchange_of(c, bytes);
    if (ranks == 1) {
        c[1] = library_of(&it);
        c[2].copied = bytes;
    }
    fill(&it, bytes);
    take_turns(c, contenders, it.runs);
    if (rank == 0 && it.exchange)
        report_exchange(&it, c);
    else if (rank == 0)
        report(&it, c, contenders, bytes);
    clean_up(c);
    fftw_mpi_cleanup();
    fftwf_mpi_cleanup();
    MPI_Finalize();
    return EXIT_SUCCESS;
}
