/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cache of FFTW's estimated plans. Programs that plan at every step would pay for the same FFTW
 * plans again and again: 10 us of the 20 us that a small plan takes. FFTW's plans are not tied to
 * arrays and several threads may run them at once, so all users share one plan. The plan stays in
 * the cache for a while after its last user has released it.
 *
 * fftw_cleanup makes all plans invalid, including idle ones, and creates a new planner. A mark in
 * the planner (weft_planner_tag) tells the old planner from the new one. Plans of the old
 * planner can no longer be destroyed, so their memory is lost. From then on Weft shares no plans,
 * so that a program cannot lose many.
 *
 * No thread waits for libfftw3's lock while it holds the lock of this file, because a thread that
 * destroys one of Weft's plans already holds libfftw3's lock when it calls functions of this file.
 */
#include "kernels/pass/plans.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "kernels/base/digest.h"
#include "kernels/base/error.h"
#include "kernels/pass/libfftw3.h"

/* At most MOST_IDLE plans stay in the cache without a user. They have at most MOST_POINTS points,
 * so that their tables are small. */
enum { PLACES = 256, MOST_IDLE = 32, MOST_POINTS = 4096 };

static struct {
    pthread_mutex_t lock;
    weft_fftw_plan *place[PLACES]; /* lists of plans, by digest */
    size_t count;
    weft_fftw_plan *idle[MOST_IDLE]; /* without a user; the oldest first */
    int idles;
    bool closed; /* no plan is shared any more */
} shared = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* libfftw3 exports these for libraries that use its planner. */
__attribute__((weak)) void FFTW(plan_awake)(void *plan, int wakefulness);
__attribute__((weak)) void FFTW(plan_destroy_internal)(void *plan);
__attribute__((weak)) void FFTW(problem_destroy)(void *problem);

static _Thread_local bool planner_is_locked;

void weft_fftw_plans_planner_is_locked(bool locked)
{
    planner_is_locked = locked;
}

/* Destroys a plan as fftw_destroy_plan does, but without taking libfftw3's lock if this thread
 * already holds it. */
static void destroy_plan(FFTW(plan) handle)
{
    foreign_handle *within = (foreign_handle *)(void *)handle;
    if (!planner_is_locked || !FFTW(plan_awake) || !FFTW(plan_destroy_internal) ||
        !FFTW(problem_destroy)) {
        FFTW(destroy_plan)(handle);
        return;
    }
    FFTW(plan_awake)(within->plan, 0);
    FFTW(plan_destroy_internal)(within->plan);
    FFTW(problem_destroy)((void *)within->problem);
    FFTW(free)(handle);
}

static void destroy(weft_fftw_plan *plan)
{
    if (!plan)
        return;
    destroy_plan(plan->plan);
    free(plan->table);
    free(plan->request);
    free(plan);
}

static uint64_t digest_of(const weft_fftw_request *request)
{
    uint64_t digest = WEFT_DIGEST;
    for (size_t i = 0; i < request->length; i++)
        digest = weft_digest(digest, request->number[i]);
    return digest;
}

/* The callers of the next functions hold the lock. */

/* The pointer that leads to the plan, or the NULL at the end of its list. */
static weft_fftw_plan **place_of(uint64_t digest, const weft_fftw_request *request)
{
    weft_fftw_plan **at = &shared.place[digest % PLACES];
    while (*at && ((*at)->digest != digest || (*at)->request->length != request->length ||
                   memcmp((*at)->request->number, request->number,
                          request->length * sizeof *request->number) != 0))
        at = &(*at)->next;
    return at;
}

static void remove_idle(int at)
{
    shared.idles--;
    memmove(shared.idle + at, shared.idle + at + 1,
            (size_t)(shared.idles - at) * sizeof *shared.idle);
}

static void remove_shared(weft_fftw_plan *plan)
{
    *place_of(plan->digest, plan->request) = plan->next;
    plan->shared = false;
    shared.count--;
}

static weft_fftw_plan *remove_oldest_idle(void)
{
    weft_fftw_plan *oldest = shared.idles > 0 ? shared.idle[0] : NULL;
    if (oldest) {
        remove_idle(0);
        remove_shared(oldest);
    }
    return oldest;
}

/* Empties the cache. Plans that have users are no longer shared. */
static void forget_all(void)
{
    for (int i = 0; i < PLACES; i++)
        while (shared.place[i])
            remove_shared(shared.place[i]);
    shared.idles = 0;
    shared.closed = true;
}

/* Takes the lock. Returns false, without the lock, if plans are not shared any more. */
static bool enter(void)
{
    pthread_mutex_lock(&shared.lock);
    const bool any = shared.count > 0;
    pthread_mutex_unlock(&shared.lock);
    const bool lost = any && !weft_planner_is_tagged();
    pthread_mutex_lock(&shared.lock);
    if (lost)
        forget_all();
    return !shared.closed;
}

static void leave(void)
{
    pthread_mutex_unlock(&shared.lock);
}

weft_fftw_plan *weft_fftw_plan_find(const weft_fftw_request *request)
{
    const uint64_t digest = digest_of(request);
    weft_fftw_plan *found = enter() ? *place_of(digest, request) : NULL;
    if (found && found->users++ == 0)
        for (int i = 0; i < shared.idles; i++)
            if (shared.idle[i] == found)
                remove_idle(i);
    leave();
    return found;
}

/* Puts a plan into the cache, unless another thread has just added the same one. */
static void share(weft_fftw_plan *plan)
{
    if (!weft_planner_tag())
        return;
    weft_fftw_plan *old = NULL;
    if (enter()) {
        weft_fftw_plan **place = place_of(plan->digest, plan->request);
        if (shared.idles == MOST_IDLE)
            old = remove_oldest_idle();
        if (!*place) {
            *place = plan;
            plan->shared = true;
            shared.count++;
        }
    }
    leave();
    destroy(old);
}

weft_fftw_plan *weft_fftw_plan_add(FFTW(plan) made, weft_real *table,
                                   const weft_fftw_request *request)
{
    weft_fftw_plan *plan = calloc(1, sizeof *plan);
    const size_t bytes =
        request ? offsetof(weft_fftw_request, number) + request->length * sizeof *request->number
                : 0;
    weft_fftw_request *copy = plan && request ? malloc(bytes) : NULL;
    if (!plan || (request && !copy)) {
        weft_error("pass: no memory for a plan (%zu bytes)", sizeof *plan + bytes);
        free(plan);
        free(table);
        destroy_plan(made);
        return NULL;
    }
    *plan = (weft_fftw_plan){.plan = made, .table = table, .users = 1, .request = copy};
    if (copy) {
        memcpy(copy, request, bytes);
        plan->digest = digest_of(request);
        share(plan);
    }
    return plan;
}

void weft_fftw_plan_release(weft_fftw_plan *plan)
{
    pthread_mutex_lock(&shared.lock);
    const bool last = --plan->users == 0;
    const bool stays =
        plan->shared && shared.idles < MOST_IDLE && plan->request->points <= MOST_POINTS;
    if (last && stays)
        shared.idle[shared.idles++] = plan;
    else if (last && plan->shared)
        remove_shared(plan);
    leave();
    if (last && !stays)
        destroy(plan);
}

void weft_fftw_plans_cleanup(void)
{
    weft_fftw_plan *idle;
    do {
        (void)enter();
        idle = remove_oldest_idle();
        leave();
        destroy(idle);
    } while (idle);
}

int weft_fftw_plans_idle(void)
{
    pthread_mutex_lock(&shared.lock);
    const int idles = shared.idles;
    leave();
    return idles;
}
