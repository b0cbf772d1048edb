#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# A locale with decimal commas, which the script makes: Weft still reads settings and writes wisdom and reports with
# decimal points.
. "${srcdir:-.}/tests/scripts/tools.sh"
command -v localedef >/dev/null || skip 'there is no localedef to make a locale with'
printf '%s\n' LC_NUMERIC 'decimal_point ","' 'thousands_sep ""' 'grouping -1' 'END LC_NUMERIC' >$out/numbers
{
    printf '%s\n' '<code_set_name> PLAIN' '<comment_char> %' '<escape_char> /' CHARMAP
    i=0
    while test $i -lt 128; do
        printf '<U%04X> /x%02x %d\n' $i $i $i
        i=$((i + 1))
    done
    echo 'END CHARMAP'
} >$out/characters
# localedef warns of missing categories, and exits with 1.
localedef --no-archive -c -i $out/numbers -f $out/characters $out/xx_XX >$out/log 2>&1
test -f $out/xx_XX/LC_NUMERIC || skip "no locale could be made: $(tail -n 1 $out/log)"

plan_program
N=16 FLAGS=0 REPORT=$out/report LOCPATH=$out LC_ALL=xx_XX WEFT_TIMELIMIT=0.5 WEFT_WISDOM=$out/wisdom run plan 1 >$out/log 2>&1 ||
    fail 'with commas:'
grep -q '^half of one is 0,5' $out/log || skip 'the locale has no effect on the program'
has 'half of one is 0,5 and 0,5'
has '^rank 0: a plan, right'
grep -q '"planning_seconds": [0-9.e-]*,$' $out/report && ! grep -q '"seconds": [0-9]*,[0-9]' $out/report ||
    fail "the report has decimal commas: $(cat $out/report)"
! grep -q ' seconds=' $out/wisdom || grep -q ' seconds=[0-9].[0-9]*e-[0-9]* ~' $out/wisdom || fail "in the wisdom: $(cat $out/wisdom)"
