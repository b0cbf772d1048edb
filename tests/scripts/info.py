# SPDX-License-Identifier: BSD-3-Clause
# info.py OUTPUT SIZES RANKS KIND PICTURE: checks the output of weft-info --plan: at every stage each point of the array
# is on one rank; what ranks send is what boxes have in common; the picture has a part for each rank.
import itertools
import re
import sys
import xml.dom.minidom

lines = open(sys.argv[1]).read().split("\n")
sizes, ranks, real = [int(n) for n in sys.argv[2].split("x")], int(sys.argv[3]), sys.argv[4]
half = sizes[:-1] + [sizes[-1] // 2 + 1]


def common(a, b):
    points = 1
    for (low, high), (begin, end) in zip(a, b):
        points *= max(0, min(high, end) - max(low, begin) + 1)
    return points


def halved(box, to):
    return box[:-1] + [(box[-1][0], to[-1] - 1)]


stages, sent = [], []
for line in lines:
    if re.match(r" +\d+  \w", line):
        stages.append(({}, "real," in line, ", then" in line))
        sent.append({})
    held = re.match(r" +rank (\d+) +(nothing|[\d-]+( x [\d-]+)*)$", line)
    if held:
        stages[-1][0][int(held.group(1))] = [] if held.group(2) == "nothing" else [
            tuple(map(int, span.split("-"))) for span in held.group(2).split(" x ")]
    sends = re.match(r" +rank (\d+) +sends ([\d.]+) (\w+) in (\d+) messages?(?:, to ([\d ]+))?$", line)
    if sends:
        sent[-1][int(sends.group(1))] = (float(sends.group(2)), sends.group(3), int(sends.group(4)),
                                         [int(to) for to in (sends.group(5) or "").split()])
assert len(stages) >= 2, lines
for i, (boxes, is_real, changes) in enumerate(stages):
    assert sorted(boxes) == list(range(ranks)), boxes
    complex_half = real != "c2c" and "real" not in lines[0] and not (
        real == "r2c" and i == 0 or real == "c2r" and i == len(stages) - 1 and not changes)
    now = half if complex_half else sizes
    points = sum(common(box, [(0, n - 1) for n in now]) for box in boxes.values() if box)
    total = 1
    for n in now:
        total *= n
    assert points == total, (i, points, now, boxes)
    for a, b in itertools.combinations([box for box in boxes.values() if box], 2):
        assert common(a, b) == 0, (a, b)
for i in range(len(stages) - 1):
    boxes = {rank: halved(box, half) if box and stages[i][2] and real == "r2c" else box for rank, box in stages[i][0].items()}
    for rank in range(ranks):
        bytes_to = {to: 16 * common(boxes[rank], stages[i + 1][0][to]) for to in range(ranks)
                    if to != rank and boxes[rank] and stages[i + 1][0][to]}
        peers = [to for to in sorted(bytes_to) if bytes_to[to] > 0]
        number, unit, messages, to = sent[i][rank]
        scale = {"bytes": 1, "KiB": 1024, "MiB": 1024 ** 2}[unit]
        assert to == peers and messages == len(peers), (i, rank, to, peers)
        assert abs(number * scale - sum(bytes_to.values())) <= 0.006 * scale, (i, rank, number, unit, bytes_to)
assert len(xml.dom.minidom.parse(sys.argv[5]).getElementsByTagName("polygon")) >= ranks, "no parts"
