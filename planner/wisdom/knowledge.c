/* SPDX-License-Identifier: BSD-3-Clause */
/* The file is read when its name is first met, and then again only when the name changes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "planner/wisdom/knowledge.h"
#include "planner/wisdom/file.h"
#include "planner/wisdom/wisdom.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *loaded; /* the file that has been read */
static bool warned;  /* about writing it */

static void warn(void)
{
    fprintf(stderr, "weft: warning: %s\n", weft_error_text());
    weft_error_clear();
}

static void load(const char *path)
{
    pthread_mutex_lock(&lock);
    if (!loaded || strcmp(loaded, path) != 0) {
        free(loaded);
        loaded = strdup(path);
        warned = false;
        const weft_file_state state = weft_wisdom_load(path);
        if (state == WEFT_FILE_PARTLY || state == WEFT_FILE_UNUSABLE) {
            warned = state == WEFT_FILE_UNUSABLE; /* one sentence is enough */
            warn();
        }
    }
    pthread_mutex_unlock(&lock);
}

bool weft_known(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, weft_decision *decision)
{
    char key[WEFT_KEY_TEXT], *mine = NULL;
    int rigor = 3;
    if (problem->rank == 0 && settings->wisdom)
        load(settings->wisdom);
    for (; problem->rank == 0 && !mine && rigor >= weft_rigor(problem->flags); rigor--) {
        weft_problem_key(problem, environment, rigor, key);
        mine = weft_wisdom_find(key);
    }
    char *text = weft_agree_text(problem->comm, mine);
    const bool understood = text && weft_decision_read(text, decision);
    free(mine);
    free(text);
    weft_error_clear();
    /* a backend of a plug-in may be missing on one rank */
    const bool known = weft_agree(problem->comm, understood);
    weft_error_clear();
    return known;
}

void weft_learn(const weft_problem *problem, const weft_environment *environment,
                const weft_settings *settings, const weft_decision *decision)
{
    char key[WEFT_KEY_TEXT], text[WEFT_DECISION_TEXT];
    weft_problem_key(problem, environment, weft_rigor(problem->flags), key);
    weft_decision_write(decision, text);
    char *told = weft_agree_text(problem->comm, text); /* its passes are rank 0's */
    if (!told || !weft_wisdom_learn(key, told))
        weft_error_clear(); /* planned all the same */
    free(told);
    if (problem->rank != 0 || !settings->wisdom)
        return;
    if (!weft_wisdom_append(settings->wisdom, key, text)) {
        pthread_mutex_lock(&lock);
        const bool first = !warned;
        warned = true;
        pthread_mutex_unlock(&lock);
        if (first)
            warn();
        weft_error_clear();
    }
}
