/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * weft-run: `mpiexec -n 4 weft-run ./program` runs a program that is linked to FFTW's MPI library
 * on Weft. weft-run asks the program's own loader which files the program would load. It tells
 * kinds of MPI apart as Weft does, by the objects that only Open MPI has. Then it adds
 * libweft-preload to LD_PRELOAD and replaces itself by the program.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tools/bench/output.h"
#include "tools/bench/path.h"

#ifdef OPEN_MPI
enum { FOR_OPEN_MPI = 1 };
#else
enum { FOR_OPEN_MPI = 0 };
#endif

enum { MOST_FILES = 512, BAD = 2 };

static const char usage[] =
    "Usage: mpiexec -n RANKS weft-run [--report] [--] PROGRAM [ARGUMENTS ...]\n"
    "Runs a program that is linked to FFTW's MPI library on Weft.\n"
    "\n"
    "  --report    at the end rank 0 prints each kind of plan and how long it took\n"
    "  --check     only check whether the program can run on Weft\n"
    "  --help      this text\n";

/* Whether this process prints messages: rank 0 does, and the first rank on each other host, where
 * the reason may be different. */
static bool speaks(bool *elsewhere)
{
    static const char *const local[] = {"MPI_LOCALRANKID", "OMPI_COMM_WORLD_LOCAL_RANK",
                                        "SLURM_LOCALID"};
    const char *here = bench_variable(local, sizeof local / sizeof *local);
    const bool first = bench_is_first();
    *elsewhere = !first && here && strcmp(here, "0") == 0;
    return first || *elsewhere;
}

__attribute__((format(printf, 1, 0))) static int refuse(const char *format, const char *first,
                                                        const char *second)
{
    bool elsewhere;
    if (speaks(&elsewhere)) {
        char host[64] = "";
        gethostname(host, sizeof host - 1);
        fputs("weft-run: ", stderr);
        fprintf(stderr, format, first, second);
        fprintf(stderr, elsewhere ? " (on host %s)\n" : "\n", host);
    }
    return BAD;
}

/* An executable or library, mapped into memory. */
typedef struct {
    const char *begin;
    size_t size;
} image;

static bool open_image(const char *path, image *it)
{
    struct stat about;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void *begin = MAP_FAILED;
    if (file >= 0 && fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0)
        begin = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (file >= 0)
        close(file);
    if (begin == MAP_FAILED)
        return false;
    *it = (image){begin, (size_t)about.st_size};
    return true;
}

static void close_image(image *it)
{
    munmap((void *)it->begin, it->size);
}

/* The address of `count` items of `size` bytes at offset `from`; NULL: the file is shorter. */
static const void *part_of(const image *it, size_t from, size_t count, size_t size)
{
    size_t bytes, end;
    const bool there = !__builtin_mul_overflow(count, size, &bytes) &&
                       !__builtin_add_overflow(from, bytes, &end) && end <= it->size &&
                       from % sizeof(ElfW(Half)) == 0;
    return there ? it->begin + from : NULL;
}

/* The header of an executable or library for this processor; NULL: the file is none. */
static const ElfW(Ehdr) * head_of(const image *it)
{
    const ElfW(Ehdr) *head = part_of(it, 0, 1, sizeof *head), *own;
    image self;
    bool alike = false;
    if (!head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 ||
        !open_image("/proc/self/exe", &self))
        return NULL;
    own = part_of(&self, 0, 1, sizeof *own);
    alike = own->e_ident[EI_CLASS] == head->e_ident[EI_CLASS] &&
            own->e_ident[EI_DATA] == head->e_ident[EI_DATA] && own->e_machine == head->e_machine;
    close_image(&self);
    return alike ? head : NULL;
}

/* The loader that the program names; NULL: none, as in static programs. */
static const char *loader_of(const image *it, const ElfW(Ehdr) * head)
{
    const ElfW(Phdr) *part = part_of(it, head->e_phoff, head->e_phnum, sizeof *part);
    for (int i = 0; part && i < head->e_phnum; i++) {
        const char *name = part[i].p_type == PT_INTERP && part[i].p_filesz > 0
                               ? part_of(it, part[i].p_offset, part[i].p_filesz, 1)
                               : NULL;
        if (name && name[part[i].p_filesz - 1] == '\0')
            return name;
    }
    return NULL;
}

/* Whether a file defines a function or an object of this name in either of its symbol tables. */
static bool defines(const image *it, const char *name)
{
    const ElfW(Ehdr) *head = head_of(it);
    const ElfW(Shdr) *header =
        head ? part_of(it, head->e_shoff, head->e_shnum, sizeof *header) : NULL;
    for (int i = 0; header && i < head->e_shnum; i++) {
        const ElfW(Shdr) *table = &header[i];
        if ((table->sh_type != SHT_DYNSYM && table->sh_type != SHT_SYMTAB) ||
            table->sh_link >= head->e_shnum)
            continue;
        const ElfW(Shdr) *names = &header[table->sh_link];
        const size_t count = table->sh_size / sizeof(ElfW(Sym));
        const ElfW(Sym) *symbol = part_of(it, table->sh_offset, count, sizeof *symbol);
        const char *text = part_of(it, names->sh_offset, names->sh_size, 1);
        if (!symbol || !text || names->sh_size == 0 || text[names->sh_size - 1] != '\0')
            continue;
        for (size_t s = 0; s < count; s++)
            if (symbol[s].st_shndx != SHN_UNDEF && symbol[s].st_name < names->sh_size &&
                strcmp(text + symbol[s].st_name, name) == 0)
                return true;
    }
    return false;
}

static bool file_defines(const char *path, const char *name)
{
    image it;
    if (!open_image(path, &it))
        return false;
    const bool found = defines(&it, name);
    close_image(&it);
    return found;
}

/* The files that a program loads. */
typedef struct {
    char *text;
    char *file[MOST_FILES];
    int files;
} loaded;

/* The output of the program's loader: the list of files, or an error if a file cannot be loaded;
 * NULL: no output. */
static char *listed(const char *loader, const char *program, int *status)
{
    int end[2];
    char *text = NULL, part[4096];
    size_t length = 0;
    if (pipe(end) != 0)
        return NULL;
    const pid_t child = fork();
    if (child == 0) {
        dup2(end[1], STDOUT_FILENO);
        dup2(end[1], STDERR_FILENO);
        close(end[0]);
        execl(loader, loader, "--list", program, (char *)NULL);
        _exit(127);
    }
    close(end[1]);
    for (ssize_t got; child > 0 && (got = read(end[0], part, sizeof part)) > 0;) {
        char *larger = realloc(text, length + (size_t)got + 1);
        if (!larger)
            break;
        text = larger;
        memcpy(text + length, part, (size_t)got);
        text[length += (size_t)got] = '\0';
    }
    close(end[0]);
    if (child > 0 && waitpid(child, status, 0) == child)
        return text;
    free(text);
    return NULL;
}

/* Parses lines such as "libfoo.so.1 => /usr/lib/libfoo.so.1 (0x1234)" and "/opt/bar.so (0x1234)".
 */
static void read_list(loaded *it)
{
    char *rest = it->text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        char *arrow = strstr(line, " => "),
             *file = arrow ? arrow + strlen(" => ") : strchr(line, '/'),
             *address = file ? strrchr(file, '(') : NULL;
        if (!address || address == file || it->files == MOST_FILES)
            continue;
        address[-1] = '\0';
        it->file[it->files++] = file;
    }
}

/* The first file that defines a name; NULL: none does. */
static const char *file_with(const loaded *it, const char *name)
{
    for (int i = 0; i < it->files; i++)
        if (file_defines(it->file[i], name))
            return it->file[i];
    return NULL;
}

/* Checks whether the program already uses Weft and, if not, whether Weft can be loaded before
 * FFTW's library. */
static int check_libraries(const char *program, const loaded *it, const char *preload,
                           bool *is_weft)
{
    static const char *const letter[] = {"", "f", "l"};
    char name[PATH_MAX], path[PATH_MAX];
    const char *mpi = file_with(it, "PMPI_Initialized");
    bool any = false;
    if (mpi && file_defines(mpi, "ompi_mpi_comm_world") != FOR_OPEN_MPI)
        return refuse(
            FOR_OPEN_MPI
                ? "%s uses MPICH or a relative of it (%s), but this Weft was built for Open MPI; "
                  "use the weft-run of a Weft for that MPI"
                : "%s uses Open MPI (%s), but this Weft was built for MPICH or a relative of it; "
                  "use the weft-run of a Weft for that MPI",
            program, mpi);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "fftw%s_mpi_init", letter[i]);
        const char *file = file_with(it, name);
        if (!file)
            continue;
        any = true;
        snprintf(name, sizeof name, "weft%s_version", letter[i]);
        *is_weft |= file_defines(file, name);
        snprintf(path, sizeof path, "%.*s/libweft%s" WEFT_SUFFIX ".so.0",
                 (int)(strrchr(preload, '/') - preload), preload, letter[i]);
        if (!file_defines(file, name) && access(path, R_OK) != 0)
            return refuse("%s needs the precision of %s, which this Weft was built without",
                          program, file);
    }
    bool elsewhere;
    if (!any && speaks(&elsewhere) && !elsewhere)
        fprintf(stderr,
                "weft-run: %s is not linked to FFTW's MPI library; if it loads that library while "
                "it runs, it gets Weft\n",
                program);
    return 0;
}

/* Checks the program; returns 0, or 2 after an error sentence. */
static int check(const char *program, const char *preload, bool *is_weft)
{
    static const char *const inside[] = {"fftw_mpi_init", "fftwf_mpi_init", "fftwl_mpi_init"};
    struct stat about = {0};
    loaded it = {0};
    image file;
    int status = 0, ended = 0;
    if (stat(program, &about) == 0 && about.st_mode & (S_ISUID | S_ISGID))
        return refuse(
            "%s runs with the rights of another user (set-uid), so nothing can be preloaded; "
            "link it again with Weft%s",
            program, "");
    if (S_ISDIR(about.st_mode))
        return refuse("%s is a directory and not a program%s", program, "");
    if (S_ISREG(about.st_mode) && about.st_size == 0)
        return refuse("%s is an empty file and not a program%s", program, "");
    errno = 0;
    if (!open_image(program, &file))
        return refuse("%s cannot be read: %s", program,
                      errno ? strerror(errno) : "it is not a file");
    const ElfW(Ehdr) *head = head_of(&file);
    const char *loader = head ? loader_of(&file, head) : NULL;
    if (!head)
        status =
            refuse("%s is not a program for this processor; for a script, name its interpreter: "
                   "weft-run python3 script.py%s",
                   program, "");
    for (size_t i = 0; status == 0 && i < sizeof inside / sizeof *inside; i++)
        if (defines(&file, inside[i]))
            status =
                refuse("%s contains FFTW's MPI library (static linking); link it again with Weft%s",
                       program, "");
    if (status == 0 && !loader)
        status = refuse("%s is linked statically; link it again with Weft%s", program, "");
    if (status == 0 && access(program, X_OK) != 0)
        status = refuse("%s is not executable; run chmod +x on it%s", program, "");
    if (status == 0 && (it.text = listed(loader, program, &ended)) && ended == 0) {
        read_list(&it);
        status = check_libraries(program, &it, preload, is_weft);
    } else if (it.text) {
        it.text[strcspn(it.text, "\n")] = '\0';
        status = refuse("%s cannot be loaded: %s", program, it.text);
    }
    free(it.text);
    close_image(&file);
    return status;
}

/* Finds the program as execvp does; false with errno set. */
static bool find_program(const char *name, char path[PATH_MAX])
{
    const char *folders = getenv("PATH");
    struct stat about;
    if (strchr(name, '/'))
        return (size_t)snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, F_OK) == 0;
    errno = ENOENT;
    for (const char *at = !*name ? NULL : folders ? folders : "/bin:/usr/bin"; at;) {
        const int length = (int)strcspn(at, ":");
        snprintf(path, PATH_MAX, "%.*s%s%s", length, at, length ? "/" : "./", name);
        if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && access(path, X_OK) == 0)
            return true;
        at = at[length] ? at + length + 1 : NULL;
    }
    return false;
}

/* Adds Weft's library to LD_PRELOAD after the libraries already there, because memory checkers must
 * be first. */
static bool set_preload(const char *preload)
{
    const char *before = getenv("LD_PRELOAD");
    char *list;
    const bool some = before && *before;
    if (asprintf(&list, "%s%s%s", some ? before : "", some ? ":" : "", preload) < 0)
        return false;
    const bool ok = setenv("LD_PRELOAD", list, 1) == 0;
    free(list);
    return ok;
}

static int run(char **command, bool checks, bool reports)
{
    char program[PATH_MAX], preload[PATH_MAX];
    bool is_weft = false;
    if (!find_program(command[0], program))
        return refuse("the program \"%s\" cannot be found: %s", command[0], strerror(errno));
    bench_library_path("libweft-preload" WEFT_SUFFIX ".so", preload, sizeof preload);
    if (access(preload, R_OK) != 0)
        return refuse("%s is missing, so nothing can be preloaded: %s", preload, strerror(errno));
    int status = check(program, preload, &is_weft);
    if (status == 0 && !is_weft && strpbrk(preload, " :"))
        status = refuse("%s has a blank or a colon in its name, so it cannot be preloaded; link %s "
                        "again with Weft",
                        preload, program);
    if (status != 0 || checks)
        return status;
    if (reports)
        setenv("WEFT_REPORT", "1", 1);
    if (!is_weft && !set_preload(preload))
        return refuse("there is no memory to run %s%s", program, "");
    execv(program, command);
    return refuse("%s cannot be run: %s", program, strerror(errno));
}

/* Ends the whole job. Ranks of other hosts may run the program and wait for this rank in MPI_Init.
 * So this rank calls MPI_Init, too, and aborts all ranks, unless all of them refuse. An alarm ends
 * this process if the other ranks do not call MPI_Init. */
static int end_all(int status)
{
    static const char *const size[] = {"PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_NTASKS"};
    enum { LONGEST = 60, WHILE = 2 };
    const char *number = bench_variable(size, sizeof size / sizeof *size);
    MPI_Request request;
    int all = 0;
    if (!number || atoi(number) < 2)
        return status;
    alarm(LONGEST);
    MPI_Init(NULL, NULL);
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    for (const double begin = MPI_Wtime(); !all && MPI_Wtime() - begin < WHILE;) {
        MPI_Test(&request, &all, MPI_STATUS_IGNORE);
        usleep(1000);
    }
    if (!all)
        MPI_Abort(MPI_COMM_WORLD, status);
    MPI_Finalize();
    return status;
}

int main(int argc, char **argv)
{
    bool checks = false, reports = false;
    int i = 1;
    for (; i < argc && argv[i][0] == '-'; i++) {
        if (strcmp(argv[i], "--") == 0) {
            i++;
            break;
        }
        if (strcmp(argv[i], "--help") == 0)
            return bench_printed("weft-run", fputs(usage, stdout) < 0);
        if (strcmp(argv[i], "--check") == 0)
            checks = true;
        else if (strcmp(argv[i], "--report") == 0)
            reports = true;
        else
            return refuse("there is no option %s; weft-run --help lists the options%s", argv[i],
                          "");
    }
    if (i >= argc)
        return refuse("there is no program; use mpiexec -n RANKS weft-run PROGRAM%s%s", "", "");
    const int status = run(argv + i, checks, reports);
    return status == BAD && !checks ? end_all(status) : status;
}
