/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A cache of FFTW's estimated plans. Programs that plan at every step would pay for the same FFTW
 * plans again and again: 10 us of the 20 us that a small plan takes. FFTW's plans are not tied to
 * arrays and several threads may run them at once, so all users share one plan. The plan stays in
 * the cache after its last user has released it, until another plan takes its place.
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
#include "kernels/base/memory.h"
#include "kernels/pass/libfftw3.h"

/* Shared plans have at most MOST_POINTS points, so that their tables are small. */
enum { PLACES = 128, MOST_POINTS = 4096 };

static struct {
    pthread_mutex_t lock;
    weft_fftw_plan *place[PLACES]; /* by digest, one plan in each; NULL: none */
    bool closed;                   /* no plan is shared any more */
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
    free(plan);
}

static uint64_t digest_of(const ptrdiff_t *number, size_t length)
{
    uint64_t digest = WEFT_DIGEST;
    for (size_t i = 0; i < length; i++)
        digest = weft_digest(digest, number[i]);
    return digest;
}

/* Takes the lock and returns a plan's place; NULL: no plan is shared any more, because fftw_cleanup
 * has replaced the planner since then. */
static weft_fftw_plan **enter(uint64_t digest)
{
    bool any = false;
    pthread_mutex_lock(&shared.lock);
    for (int i = 0; i < PLACES; i++)
        any = any || shared.place[i];
    pthread_mutex_unlock(&shared.lock);
    const bool lost = any && !weft_planner_is_tagged();
    pthread_mutex_lock(&shared.lock);
    for (int i = 0; lost && i < PLACES; i++)
        if (shared.place[i] && shared.place[i]->users > 0) {
            shared.place[i]->shared = false;
            shared.place[i] = NULL;
        } /* idle plans stay where they are, because nobody can destroy them */
    shared.closed |= lost;
    return shared.closed ? NULL : &shared.place[digest % PLACES];
}

static bool is_for(const weft_fftw_plan *plan, const weft_fftw_request *request)
{
    return plan && plan->length == request->length &&
           memcmp(plan->number, request->number, plan->length * sizeof *plan->number) == 0;
}

weft_fftw_plan *weft_fftw_plan_find(const weft_fftw_request *request)
{
    weft_fftw_plan **place = enter(digest_of(request->number, request->length)),
                   *found = place && is_for(*place, request) ? *place : NULL;
    if (found)
        found->users++;
    pthread_mutex_unlock(&shared.lock);
    return found;
}

/* Removes a plan without users from its place and returns it. The caller holds the lock, and
 * destroys the plan without it. */
static weft_fftw_plan *remove_idle(weft_fftw_plan **place)
{
    weft_fftw_plan *idle = place && *place && (*place)->users == 0 ? *place : NULL;
    if (idle)
        *place = NULL;
    return idle;
}

/* Puts a plan into the cache, unless a plan that has users is in its place. */
static void share(weft_fftw_plan *plan)
{
    weft_fftw_plan **place = enter(digest_of(plan->number, plan->length)),
                   *old = remove_idle(place);
    if (place && !*place) {
        *place = plan;
        plan->shared = true;
    }
    pthread_mutex_unlock(&shared.lock);
    destroy(old);
}

weft_fftw_plan *weft_fftw_plan_add(FFTW(plan) made, weft_real *table,
                                   const weft_fftw_request *request)
{
    const size_t length = request ? request->length : 0;
    weft_fftw_plan *plan = weft_new(1, sizeof *plan + length * sizeof *plan->number, "a plan");
    if (!plan) {
        free(table);
        destroy_plan(made);
        return NULL;
    }
    plan->plan = made;
    plan->table = table;
    plan->users = 1;
    plan->length = length;
    if (request)
        memcpy(plan->number, request->number, length * sizeof *plan->number);
    if (request && request->points <= MOST_POINTS && weft_planner_tag())
        share(plan);
    return plan;
}

void weft_fftw_plan_release(weft_fftw_plan *plan)
{
    pthread_mutex_lock(&shared.lock);
    const bool last = --plan->users == 0 && !plan->shared;
    pthread_mutex_unlock(&shared.lock);
    if (last)
        destroy(plan);
}

void weft_fftw_plans_cleanup(void)
{
    for (uint64_t digest = 0; digest < PLACES; digest++) {
        weft_fftw_plan *idle = remove_idle(enter(digest));
        pthread_mutex_unlock(&shared.lock);
        destroy(idle);
    }
}

int weft_fftw_plans_idle(void)
{
    int idles = 0;
    pthread_mutex_lock(&shared.lock);
    for (int i = 0; i < PLACES; i++)
        idles += !shared.closed && shared.place[i] && shared.place[i]->users == 0;
    pthread_mutex_unlock(&shared.lock);
    return idles;
}
