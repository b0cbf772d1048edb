/* SPDX-License-Identifier: BSD-3-Clause */
/* Every plan function comes through here: check, agree, have it planned, wrap it for libfftw3. */
#include "backends/exchange/agreement.h"
#include "kernels/base/error.h"
#include "kernels/pass/planner.h"
#include "planner/handle.h"
#include "planner/report.h"
#include "api/mpi-state.h"
#include "api/planning.h"
#include "api/record.h"

static FFTW(plan) planned_by(const weft_request *request, int rank, int ranks)
{
    WEFT_ERRORS_ARE_FATAL(request->comm);
    weft_problem problem;
    const bool valid = request->process_grid || request->from
                           ? weft_grid_request_valid(request, rank, ranks, &problem)
                           : weft_request_valid(request, rank, ranks, &problem);
    if (!weft_problem_agreed(request, &problem, valid))
        return NULL;
    problem.threads = weft_planner_threads();
    weft_record(request, &problem, WEFT_PRECISION);
    weft_plan *plan = weft_plan_make(&problem);
    if (!plan)
        return NULL;
    weft_report_verbose(plan);
    weft_report_sum(plan);
    FFTW(plan) handle = weft_handle_create(plan, &problem);
    if (weft_agree(request->comm, handle != NULL))
        return handle;
    if (handle)
        FFTW(destroy_plan)(handle);
    else
        weft_plan_destroy(plan);
    return NULL;
}

FFTW(plan) weft_planned(const weft_request *request)
{
    int rank, ranks;
    FFTW(plan) plan = NULL;
    weft_error_clear();
    weft_set_up();
    if (weft_comm_joint(request->function, request->comm, &rank, &ranks))
        plan = planned_by(request, rank, ranks);
    if (!plan)
        weft_complain(request->comm);
    return plan;
}
