/** The skill performance-work. */

export const PERFORMANCE_WORK = `# Performance work

Measure, find where it goes, change one thing, measure again. Everything else is superstition.

## 1. Say what is too slow for whom

Write it down before you look at code: which operation, with how much data, on which machine, how slow it
is, how fast it must be and why that figure. "p95 of the search is 900 ms with 50 000 documents; typing
feels fluent below 150 ms." Without a target you do not know when to stop.

Name the kind: latency of one, throughput of many, start-up, memory, size of what is shipped, cost. They
pull in different directions.

## 2. Make it repeatable

- One command that builds the situation and prints the figure. Real data or data of the same shape: sizes,
  skew, duplicates, the ugly long ones.
- The release build, the real configuration, warm and cold told apart.
- At least five runs. Report the median and the spread, not the best. If the spread is larger than the gain
  you hope for, first find out what shakes it: other load, frequency scaling, garbage collection, caches,
  network.
- On a busy machine count work instead of time: CPU time, instructions, queries, allocations, bytes, system
  calls.
- Write down commit, machine, command and date. A figure without them cannot be compared.

## 3. Find where it goes

- Measure from outside to inside: how much is network, queue, database, our own code? Often most of it is
  waiting.
- For CPU a sampling profiler; look at self time and at total time. For waiting a trace with the start and
  end of each step. For memory a heap snapshot of before and after, and who holds it.
- Count as well: how often is it called? A cheap thing a million times is the usual answer.
- Do the sum on paper: so many items at so many microseconds. If the sum does not meet the measured time
  within a factor of two, you have not understood it yet.
- State the cause as a claim that could be wrong ("90 % of the time is parsing the same file again"), and
  test the claim by the cheapest experiment: return a constant there and measure.

## 4. Change one thing

In this order, because the early ones give more and cost less:

1. Do not do it: unused work, work whose result is known, work nobody waits for.
2. Do it once: move it out of the loop, keep the result while its inputs stay the same.
3. Do it for many at a time: batches instead of single queries, one write instead of a thousand.
4. Do it in a better order: index instead of scan, a set instead of a list, stop early, read only what is
   needed.
5. Do it at the same time, with a limit, where the parts do not depend on each other.
6. Do it later, or elsewhere, and say what that means for who looks meanwhile.
7. Do it in fewer instructions: data layout, copies, allocations. Last, and only where the profile points.

A cache is a promise to keep two things equal. Say before you add one: what makes an entry wrong, who
removes it, how large it may grow, what happens when it is empty and everybody comes at once.

## 5. Measure again

- Same command, before and after in turn, several times. Keep the change only if the gain is clearly larger
  than the spread.
- Look at what it cost: memory, the slow cases, start-up, readability. A gain of three per cent is not worth
  a page of code.
- Results must be the same: compare outputs, not only tests.
- No gain? Take it out. Leftovers of attempts are the most expensive code there is.
- Then profile again: the picture has changed, and the next thing is rarely the one you had in mind.

## 6. Keep it

Leave the command and the figures beside the code. If it matters, guard it by something that counts work
(queries per request, allocations, bytes read), because guards that count seconds fail on other machines. In
the code, say why the unusual way was taken and what it gains.

## In the report

Target, figure before, figure after, spread, machine, command. What was the cause and how you know. What you
tried that did not help, in one line each. What would be next, and whether it is worth it.
`;
