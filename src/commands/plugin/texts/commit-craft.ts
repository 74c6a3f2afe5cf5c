/** The skill commit-craft. */

export const COMMIT_CRAFT = `# Commit craft

A commit is read three times: by the reviewer today, by whoever looks for the cause of a fault next year,
and by whoever must take it back at night. Make it good for all three.

## Before you commit

1. Look at everything that changed: git status, then git diff, then git diff --staged. Read every line. What
   you cannot explain does not go in.
2. Take out what does not belong: debug output, commented-out code, editor files, generated files that the
   project does not keep, local settings, anything that looks like a secret.
3. Look at how this project writes its messages: git log --oneline -20, and two or three whole ones. Follow
   its conventions (prefixes, ticket numbers, sign-off) where they differ from this page.
4. Run what the project runs before a commit. A red commit makes every later search by bisection lie.

Commit only when you were asked to, and never push, amend what others have, or rewrite shared history on
your own.

## Cutting

One commit is one change that stands alone: it builds, its tests pass, it could be reverted by itself.

- Renames and moves by themselves, without edits. Then the diff of the next commit can be read.
- Formatting by itself. Never in the same commit as a change of behaviour.
- Preparing refactoring first, then the feature that it makes easy.
- The test goes with the code it tests, the documentation with the behaviour it describes.
- A change of format or schema and its migration together; the removal of the old way later, alone.
- Generated files with the change of their source, and the message says how they were made.

To cut a mixed working tree: stage by hunks (git add -p), check with git diff --staged that what is staged
is whole, and build from what is staged if you doubt it. If two changes are interwoven in the same lines, it
is honest to keep them together and say so.

## The message

    Refuse a delivery whose clock is ahead

    A forge with a wrong clock sent deliveries dated tomorrow. They were
    stored, sorted last, and hid all later ones until the date had come.

    Anything more than five minutes ahead is now answered with 400 and
    not stored. Five minutes is what the other checks allow, too.

    Deliveries already stored keep their dates; the list sorts by when
    they came in from the next release on (#214).

- **Subject**: what the change does, in at most about 60 characters, starting with a verb in the form the
  project uses, without a full stop. "Fix bug", "Update code" and "Address review" say nothing: name the
  behaviour.
- **Body**: why. What was wrong or missing, what it meant for whom, why this way and not the obvious other
  one, what is deliberately left. Wrap at 72 columns. The diff says how; repeat that only where it is
  surprising.
- **Facts that will be looked for**: the error text, the name of the setting, the ticket, figures before and
  after.
- No story of your attempts. The commit is the result, not the diary.

A small obvious change needs no body. A change of one line that took a day needs a long one.

## Mending before it is shared

- The last commit lacks something: git commit --amend, only if nobody else has it.
- An earlier one: git commit --fixup=<commit>, then git rebase -i --autosquash on your own branch.
- Something must be undone that others have: git revert, with the reason in the message.
- Lost after a reset or rebase: git reflog still has it.
- Before anything that rewrites history, note the current commit so that you can return to it.

## The last look

git log -p for your commits, oldest first, as the reviewer will. Is each one understandable from its message
alone? Does the order tell the story? Would you be glad to find it in a bisection? Then report the hashes
and subjects.
`;
