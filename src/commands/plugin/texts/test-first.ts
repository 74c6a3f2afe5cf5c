/** The skill test-first. */

export const TEST_FIRST = `# Test first

Write the test that fails, see it fail for the right reason, then write the code that makes it pass. The
order is the point: a test written afterwards is shaped by the code and rarely finds what the code forgot.

## The loop

1. **Say the behaviour in one sentence**, from outside: given this, when that happens, then so. If the
   sentence has an "and", it is two tests.
2. **Find its place.** Look at how neighbouring tests are built and use their helpers. A new style of test
   in an old suite is a cost for everybody.
3. **Write the test** against the interface that a caller uses. If that interface does not exist yet, the
   test is where you design it: write the call you would like to make.
4. **Run it and read the failure.** It must fail because the behaviour is missing. A typo, a missing import
   or a wrong fixture is not the failure you wanted; mend the test until it is.
5. **Write the least code that passes.** Not the general solution yet.
6. **Run the whole neighbourhood**, not only the new test.
7. **Tidy** both code and test while everything is green. Then the next sentence.

## For a bug

- First reproduce it as a test, with the smallest input that shows it. Do not touch the code before it is
  red.
- Name the test after the behaviour that should hold, not after the ticket: "keeps the last line when the
  file has no line feed at its end".
- After the fix, take the fix out once more and see the test fail. Then put it back. A test that was never
  red with the bug in place proves nothing.
- Ask where the same mistake could be elsewhere, and look.

## What to test

- The rule itself: an ordinary case that would catch a plain misunderstanding.
- The edges: empty, one, the limit, one past the limit; missing, blank and wrong type; the same thing twice.
- The failures: what the caller gets when the disk is full, the other side answers nonsense or nobody
  answers. What must still be true afterwards?
- Order and overlap, where there is any: two at once, the second before the first, ended in the middle.

Leave out what the compiler or a schema already guarantees, and what belongs to somebody else's library.

## What makes a test worth keeping

- It fails when the behaviour breaks, and only then. If a harmless restructuring breaks it, it tests the
  inside.
- It states its expectation as a literal. A test that computes the expected value with the code's own
  formula agrees with every mistake in it.
- It reads top to bottom: set up, act, check. No loops and branches that would need tests of their own.
- It is alone: its own data, its own folder, its own port; it passes in any order and beside others.
- It does not sleep. Wait for the event itself, or bring a clock of its own.
- It uses the real thing where that is cheap (a file system in a temporary folder, an in-memory database)
  and a fake only at the borders (network, payment, model). Fakes hold to the same contract test as the
  original, if there is one.

## When it is hard to write

A test that is hard to write is telling you something about the code. Before you reach for mocks:

- Too much set-up? The thing does too much: cut out the decision and test that alone.
- Time, chance or the environment in the way? Make them arguments.
- No result to look at? Let the function return what it decided, and do the effect elsewhere.
- Legacy code without a seam? Pin what it does now with a test at the nearest border, then make the seam.

## When to stop

When each sentence that the task asks for has a test, the edges you named are covered, and you could hand
the suite to somebody who would rewrite the code from it. Say in your report which tests are new, and that
you saw them fail.
`;
