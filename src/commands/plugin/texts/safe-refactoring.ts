/** The skill safe-refactoring. */

export const SAFE_REFACTORING = `# Safe refactoring

Refactoring changes the shape of code and keeps its behaviour. Whoever changes both at once has neither
proof. Work so that you can stop after any step with everything green.

## Before the first step

1. **Say what it is for.** "Cleaner" is no purpose. "So that a second storage can be added without touching
   the handlers" is one, and it tells you when to stop.
2. **Find what must not change**: the results, the errors and their texts, the order of side effects, what
   is logged and measured, formats on disk and on the wire, speed within reason, public names.
3. **See whether that is tested.** Break the code on purpose in two or three places and run the tests. Where
   nothing turns red, first write tests that pin what the code does today, also where that looks wrong. A
   suspected bug gets a note and a change of its own, never a silent correction.
4. **Find all users**: callers, subclasses, reflection, configuration, templates, scripts, documentation.
   Search for the name as text, not only with the language server.
5. Start from a clean working tree, so that any step can be thrown away.

## Steps

Each step is small enough that you know why it is right, and ends with the tests.

- **Rename** with a tool, then search for the old name in strings, comments and files of other kinds.
- **Extract** a function first as it stands, with too many parameters if need be; make it good afterwards.
- **Move** without editing, then edit. Leave a forwarding name where others call it.
- **Change a signature** by making the new one beside the old, moving the callers over one by one, then
  removing the old.
- **Replace an implementation** by running both and comparing, on real data if you can, before the old one
  goes.
- **Untangle a condition** by writing its table of cases first; then each early return is one row.
- **Break a cycle** by finding the one thing both sides need and giving it a place of its own.
- **Remove duplication** only when the copies change for the same reason. Two things that merely look alike
  today are better left apart than joined by a parameter that says which one is meant.

If a step turns out to be large, go back to green and find a smaller first one. Do not push on through a red
hour.

## While you go

- Behaviour and shape in separate commits, always. See the skill commit-craft if it is installed.
- No new features, no upgrades, no new library on the way.
- Keep the project's own style. A refactoring that brings a foreign style has made the code base two code
  bases.
- Types are a net: make the wrong state impossible to write down, and the compiler finds the callers for
  you.
- Watch for what tests rarely see: laziness and order of evaluation, sharing of mutable values, exceptions
  that now pass through another frame, number of queries, locks held longer, identity where equality was
  compared.

## Signs to stop and think

- You are changing tests to make them pass. Either they tested the inside (then rewrite them first, against
  the old code, in a step of their own), or behaviour has changed.
- You add a flag or an option so that both shapes can be kept. Decide for one.
- The new shape needs as many words to explain as the old one. Then it is another shape, not a better one.
- You are far from the purpose you wrote down.

## Done

- The purpose is reached, and you can show it: the diff that the next feature needs is now small.
- Nothing of the old shape is left: no forwarding names without users, no dead parameters, no stale
  comments.
- All tests pass, unchanged except for moved names, and the ones you added first.
- The report names the steps, what was pinned by new tests, and each oddity you found and left as it was.
`;
