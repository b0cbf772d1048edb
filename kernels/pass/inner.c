/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Programs that plan at every step pay FFTW for the same plans again and again: 10 us of the 20
 * that a small plan takes. Plans are not tied to arrays and may be run by several threads at once,
 * so that one serves all, and stays for the next user when the last one has left.
 *
 * fftw_cleanup makes plans invalid, those without a user too. It leaves a new planner behind, which
 * is told from the old one by a mark (timelimit.h). Plans of a planner that is gone can only be
 * lost; then none are shared any more, so that a program cannot lose many.
 *
 * The lock is never held while libfftw3's may be waited for: whoever destroys a plan of Weft's
 * holds that one, and comes here.
 */
#include "kernels/pass/inner.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/pass/timelimit.h"

/* So many stay without a user, of so few points that their tables are small. */
enum { PLACES = 256, MOST_IDLE = 32, MOST_POINTS = 4096 };

static struct {
    pthread_mutex_t lock;
    weft_inner *place[PLACES]; /* by digest */
    size_t count;
    weft_inner *idle[MOST_IDLE]; /* the last one left last */
    int idles;
    bool over; /* nothing is shared any more */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Exported by libfftw3 for libraries that solve with its planner. */
__attribute__((weak)) void FFTW(plan_awake)(void *plan, int wakefulness);
__attribute__((weak)) void FFTW(plan_destroy_internal)(void *plan);
__attribute__((weak)) void FFTW(problem_destroy)(void *problem);

static _Thread_local bool planner_is_locked;

void weft_inner_planner_is_locked(bool locked)
{
    planner_is_locked = locked;
}

/* What fftw_plan points to begins with the plan and the problem. */
static void destroy_plan(FFTW(plan) handle)
{
    void **within = (void **)(void *)handle;
    if (!planner_is_locked || !FFTW(plan_awake) || !FFTW(plan_destroy_internal) ||
        !FFTW(problem_destroy)) {
        FFTW(destroy_plan)(handle);
        return;
    }
    FFTW(plan_awake)(within[0], 0);
    FFTW(plan_destroy_internal)(within[0]);
    FFTW(problem_destroy)(within[1]);
    FFTW(free)(handle);
}

static void destroy(weft_inner *inner)
{
    if (!inner)
        return;
    destroy_plan(inner->plan);
    free(inner->table);
    free(inner->request);
    free(inner);
}

static uint64_t digest_of(const weft_inner_request *request)
{
    uint64_t digest = WEFT_DIGEST;
    for (size_t i = 0; i < request->length; i++)
        digest = weft_digest(digest, request->number[i]);
    return digest;
}

/* From here on, with the lock held. */

/* Where a pointer to it, or to none, stands. */
static weft_inner **place_of(uint64_t digest, const weft_inner_request *request)
{
    weft_inner **at = &shared.place[digest % PLACES];
    while (*at && ((*at)->digest != digest || (*at)->request->length != request->length ||
                   memcmp((*at)->request->number, request->number,
                          request->length * sizeof *request->number) != 0))
        at = &(*at)->next;
    return at;
}

static void take_from_idle(int at)
{
    shared.idles--;
    memmove(shared.idle + at, shared.idle + at + 1,
            (size_t)(shared.idles - at) * sizeof *shared.idle);
}

static void stop_sharing(weft_inner *inner)
{
    *place_of(inner->digest, inner->request) = inner->next;
    inner->shared = false;
    shared.count--;
}

static weft_inner *oldest_idle(void)
{
    weft_inner *oldest = shared.idles > 0 ? shared.idle[0] : NULL;
    if (oldest) {
        take_from_idle(0);
        stop_sharing(oldest);
    }
    return oldest;
}

/* What is used goes on as its user's own. */
static void lose_all(void)
{
    for (int i = 0; i < PLACES; i++)
        while (shared.place[i])
            stop_sharing(shared.place[i]);
    shared.idles = 0;
    shared.over = true;
}

/* Takes the lock; whether anything is shared. */
static bool enter(void)
{
    pthread_mutex_lock(&shared.lock);
    const bool any = shared.count > 0;
    pthread_mutex_unlock(&shared.lock);
    const bool lost = any && !weft_timelimit_is_marked();
    pthread_mutex_lock(&shared.lock);
    if (lost)
        lose_all();
    return !shared.over;
}

static void leave(void)
{
    pthread_mutex_unlock(&shared.lock);
}

weft_inner *weft_inner_find(const weft_inner_request *request)
{
    const uint64_t digest = digest_of(request);
    weft_inner *found = enter() ? *place_of(digest, request) : NULL;
    if (found && found->users++ == 0)
        for (int i = 0; i < shared.idles; i++)
            if (shared.idle[i] == found)
                take_from_idle(i);
    leave();
    return found;
}

/* Unless another thread has made the same meanwhile. */
static void share(weft_inner *inner)
{
    if (!weft_timelimit_mark())
        return;
    weft_inner *old = NULL;
    if (enter()) {
        weft_inner **place = place_of(inner->digest, inner->request);
        if (shared.idles == MOST_IDLE)
            old = oldest_idle();
        if (!*place) {
            *place = inner;
            inner->shared = true;
            shared.count++;
        }
    }
    leave();
    destroy(old);
}

weft_inner *weft_inner_add(FFTW(plan) plan, weft_real *table, const weft_inner_request *request)
{
    weft_inner *inner = calloc(1, sizeof *inner);
    const size_t bytes =
        request ? offsetof(weft_inner_request, number) + request->length * sizeof *request->number
                : 0;
    weft_inner_request *own = inner && request ? malloc(bytes) : NULL;
    if (!inner || (request && !own)) {
        weft_error("pass: no memory for a plan");
        free(inner);
        free(table);
        destroy_plan(plan);
        return NULL;
    }
    *inner = (weft_inner){.plan = plan, .table = table, .users = 1, .request = own};
    if (own) {
        memcpy(own, request, bytes);
        inner->digest = digest_of(request);
        share(inner);
    }
    return inner;
}

/* That a planner is gone is seen when the next plan comes. */
void weft_inner_leave(weft_inner *inner)
{
    pthread_mutex_lock(&shared.lock);
    const bool last = --inner->users == 0;
    const bool stays =
        inner->shared && shared.idles < MOST_IDLE && inner->request->points <= MOST_POINTS;
    if (last && stays)
        shared.idle[shared.idles++] = inner;
    else if (last && inner->shared)
        stop_sharing(inner);
    leave();
    if (last && !stays)
        destroy(inner);
}

void weft_inner_cleanup(void)
{
    weft_inner *idle;
    do {
        (void)enter();
        idle = oldest_idle();
        leave();
        destroy(idle);
    } while (idle);
}

int weft_inner_idle(void)
{
    pthread_mutex_lock(&shared.lock);
    const int idles = shared.idles;
    leave();
    return idles;
}
