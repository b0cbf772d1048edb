/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Variants of a test program: the same cases under other settings. tests/mpi/launch runs
 * dropin+shared-3.mpi as `test_dropin --variant shared` on 3 ranks.
 */
#ifndef VARIANTS_H
#define VARIANTS_H

#include <stdbool.h>

typedef struct {
    const char *name;
    const char *backends[10]; /* cases use them in turn; none: the planner chooses */
    unsigned flags;           /* more planning flags */
    const char *plugins;
    const char *machine; /* WEFT_MACHINE: passes are made for its caches */
    const char *nodes;   /* number of nodes that MPI pretends; empty on several hosts */
    bool on_device;      /* arrays have twins on the stand-in device */
    bool in_session;     /* MPI_Init is not called */
} variant_settings;

/* The variant of this process; all fields are empty without one. */
extern variant_settings variant;

/* Call it before MPI_Init; it removes its arguments. Ends the program if the name is unknown. */
void variant_begin(int *argc, char ***argv);
/* The backend of a case with this number; NULL: the variant has none. */
const char *variant_backend(int number);
/* Sets WEFT_BACKEND to this backend. */
void variant_force(int number);

#endif
