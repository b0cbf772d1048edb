/* SPDX-License-Identifier: BSD-3-Clause */
/* The host's name; the system is asked once. */
#include <pthread.h>
#include <string.h>
#include <unistd.h>
#include "kernels/base/host.h"

static char name[64];
static pthread_once_t asked = PTHREAD_ONCE_INIT;

static void ask(void)
{
    if (gethostname(name, sizeof name - 1) != 0 || !name[0])
        strcpy(name, "without a name");
}

const char *weft_host(void)
{
    pthread_once(&asked, ask);
    return name;
}
