/** The rule review-standards: the criteria for a change. */

export const REVIEW_STANDARDS = `# Review standards

These hold for every change you make and every change you are asked to review. Hold your own work to them
before you say that it is done.

## Before you judge a change

- Read the task or the issue first, then the diff, then the code around it. A diff alone shows what moved,
  not whether it belongs.
- Say in one sentence what the change is for. If you cannot, that is the first finding.
- Look at what calls the changed code and at what it calls. Search for other users of every name that
  changed its meaning, its type or its defaults.
- Run the tests, or say that you did not. Never report "should work".

## What a change must satisfy

1. It does what was asked, all of it, and nothing that was not asked. Drive-by edits go into a change of
   their own.
2. It is right at the edges: nothing, one, many, the largest; the first call and the second; two callers at
   once; the caller that gives up halfway.
3. Every error goes somewhere: handled where something can be done about it, else passed on with what the
   next reader needs. An empty catch, a logged-and-ignored failure or a default that hides a fault is a
   finding.
4. It cannot leave things half done. What writes twice says what is true when the second write fails.
5. It is tested by a test that fails without the change. A test that mocks the very thing it is about proves
   nothing.
6. Names say what things are. A reader who knows the project needs no explanation for the code, only for the
   reason.
7. It removes what it makes unnecessary: dead branches, unused parameters, flags nobody sets, comments that
   no longer hold.
8. It keeps its promises to others: public signatures, stored formats, wire formats, exit codes, settings.
   Where it breaks one, it says so and brings the way over.
9. It holds no secret, no personal data of real people, no path of somebody's machine.
10. It has a limit where input decides the amount: sizes, counts, retries, time, depth.

## What is no finding

- Taste, where the project has no rule and the code is clear. If it is worth a rule, propose the rule, not
  the edit.
- What a formatter or a linter says. Run them instead.
- Code that the change did not touch, unless the change makes it wrong. Name it separately, as a thing for
  later.

## How findings are reported

Rank them, the worst first, and give each a level:

- **blocker**: wrong result, data lost, a hole in security, a broken promise. The change must not go in.
- **should**: a fault that will cost somebody an hour later: a missing test, an unclear name, a missing
  limit.
- **could**: an improvement the author is free to refuse.

Each finding has four parts: the place (file and line), what goes wrong, an input or an order of events that
shows it, and a proposal. "This may be a race" is not a finding; "two requests that both read the count
before either writes it store the same number" is.

- Check each finding before you report it: open the line, follow the values, try to refute yourself. One
  false blocker costs more trust than a missed detail.
- Name what you did not check. "I did not run the migration" is worth more than silence.
- If there is nothing to say, say so plainly, in one sentence, with what you looked at.

## When it is your own change

Review the whole diff once more as if somebody else had written it, after a last look at the task. Mend what
you find. Then report: what changed, what was tested and how, what was left and why.
`;
