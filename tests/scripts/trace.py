# SPDX-License-Identifier: BSD-3-Clause
# trace.py TRACE RANKS TIMES OUTPUT: whether a trace is right, for what tests/dropin/trace.c has printed.
import json
import re
import sys

name, ranks, times, output = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), open(sys.argv[4]).read()
trace = json.load(open(name))
origin = float(trace["otherData"]["microseconds_since_1970"])
begin, end = map(float, re.search(r"from (\d+) to (\d+)", output).groups())
events = [e for e in trace["traceEvents"] if e["ph"] == "X"]
plan = "--kind c2c --in-place 12x12"
SLACK = 0.002
steps = re.findall(r"^  \((pass|exchange)", output, re.M)


def check(holds, what):
    if not holds:
        sys.exit("%s: %s" % (name, what))


names = [e["pid"] for e in trace["traceEvents"] if e["name"] == "process_name"]
check(sorted(names) == list(range(ranks)), "processes %s" % names)
check({e["pid"] for e in events} == set(range(ranks)), "events of ranks %s" % {e["pid"] for e in events})
for e in events:
    check(e["dur"] >= 0 and begin <= origin + e["ts"] and origin + e["ts"] + e["dur"] <= end,
          "not within %.0f to %.0f of %.0f: %s" % (begin, end, origin, e))

for rank in range(ranks):
    mine = [e for e in events if e["pid"] == rank]
    for thread in {e["tid"] for e in mine}:
        under_way = []
        for e in sorted((e for e in mine if e["tid"] == thread), key=lambda e: (e["ts"], -e["dur"])):
            while under_way and under_way[-1]["ts"] + under_way[-1]["dur"] <= e["ts"] + SLACK:
                under_way.pop()
            check(not under_way or e["ts"] + e["dur"] <= under_way[-1]["ts"] + under_way[-1]["dur"] + SLACK,
                  "%s neither nests in nor follows %s" % (e, under_way[-1:]))
            under_way.append(e)
    # Every step of the plan that was printed, as often as that ran.
    of_plan = [e for e in mine if e["args"]["plan"].startswith(plan)]
    check(len(of_plan) > 0, "no plan %s: %s" % (plan, {e["args"]["plan"] for e in mine}))
    check(len([e for e in of_plan if e["cat"] == "plan"]) == times, "runs of rank %d" % rank)
    check(len(steps) > 0, "no steps in %s" % output)
    for i, kind in enumerate(steps):
        found = [e for e in of_plan if e["cat"] == kind and re.match(r"%s %d(:|$)" % (kind, i), e["name"])]
        check(len(found) == times, "%d times %s %d, not %d" % (len(found), kind, i, times))
        check(all("bytes" in e["args"] for e in found), "no bytes: %s" % found)
        check(kind == "pass" or all(e["args"]["backend"] in e["name"] for e in found), "no backend: %s" % found)
    check(len([e for e in of_plan if e["cat"] == "wait"]) > 0 or ranks == 1, "rank %d never waits" % rank)

# Nobody leaves the same exchange before the last has come: times of ranks, of other nodes, too, are of one clock, whose
# comparison is off by half of what a message took to come and go at best.
off = 50000 if sys.argv[1].endswith("nodes") else 300
for i, kind in enumerate(steps):
    if kind == "pass":
        continue
    of = [sorted((e for e in events if e["pid"] == rank and e["args"]["plan"].startswith(plan) and e["cat"] == kind and
                  e["name"].startswith("exchange %d:" % i)), key=lambda e: e["ts"]) for rank in range(ranks)]
    for run in zip(*of):
        check(min(e["ts"] + e["dur"] for e in run) + off >= max(e["ts"] for e in run), "apart: %s" % (run,))
