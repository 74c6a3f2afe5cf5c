/** The skill debugging. */

export const DEBUGGING = `# Debugging

From a symptom to its cause by experiments. You are done when you can explain every observation, turn the
failure on and off, and show the change that ends it. A failure that went away by itself is not solved.

## 1. Get the facts

- The exact symptom: the whole error text, the input, the version, the time, the machine. Not a summary of
  it.
- What was expected, and why: documentation, test, a run that worked.
- When did it work last, and what changed since: code, data, configuration, dependencies, load,
  certificates, clock?
- Does it happen always, for everybody, everywhere? Each difference between "fails" and "works" is a clue.
- Read the message literally, all of it, and the first error before the later ones. Find the line of code
  that prints it.

## 2. Reproduce it

Do this before any theory. Make one command that shows the failure. Then make it smaller: less data, fewer
steps, no network, no concurrency, until taking anything more away makes it pass. Often the cause is visible
by then.

If it fails only sometimes: run it in a loop, add load, make delays where things could overlap, fix the
random seed, run under another clock, until it fails often. Note how often, so that you can tell a fix from
luck: a failure of one in twenty needs some hundred clean runs.

If you cannot reproduce it, say so. Then add what would show it next time (state, ids, durations, never
secrets) instead of changing code on suspicion.

## 3. Halve the field

- Between input and output there is a point where right turns into wrong. Look in the middle: is it still
  right there? Go on in the bad half.
- In time: bisect between a good and a bad version (git bisect run with your command).
- In configuration and environment: change one difference at a time towards the working one.
- In data: half the file, then half of that.

Look at real values with a debugger or a print, at the border between two parts first. Do not trust names,
comments, documentation, your memory or the dashboard: look.

## 4. One theory at a time

Write it as a sentence with "because", and derive something you have not looked at yet: "the answer is stale
because the key lacks the language; then a request in another language brings the first one's text." Look.
If it is not so, the theory is dead; do not mend it, make another one.

- Change one thing per experiment, and undo it afterwards. Keep a list of what you tried and what it showed.
- Prefer experiments that can refute. That a theory fits everything you knew before proves little.
- Check the stupid things early: is the file you edit the one that runs? Right branch, build, host,
  database, cache? Put an error in on purpose and see that it appears.
- Stuck for half an hour? Write down what you know for sure and how you know it. The mistake is usually in
  that list.

## 5. From the trigger to the cause

Ask on until the answer is a decision in code or in operation that you can change: why was the value null,
why was that path taken, why did no check stop it, why did no test see it? A null check where it crashed
mends the symptom and moves the failure to a place where it will be harder to find.

Suspect your own code first, then its use of the library, then the configuration, then the library, and the
compiler, kernel and hardware last. But when the evidence is there, follow it.

## 6. Mend it

- First a test that fails because of the cause (see the skill test-first if it is installed).
- The smallest change at the right place. Nothing else with it.
- See the reproduction pass as often as it needs, and the whole suite.
- Take the fix out once: the failure must come back.
- Search for the same mistake elsewhere.
- Remove every print, sleep, flag and changed setting of the hunt.

## In the report

Symptom, cause, how you know (the experiment that decided it), the change, the test. What remains
unexplained, even if it seems small: two causes often hide behind one symptom.
`;
