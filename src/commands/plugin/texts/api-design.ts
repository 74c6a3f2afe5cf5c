/** The skill api-design. */

export const API_DESIGN = `# API design

An interface is a promise that others build on: an HTTP route, a library, a command line, an event, a file
format. It is cheap to change before the first user and expensive ever after. Spend the time before.

## Start from the caller

1. Write down who calls it and what for: three to five real tasks, in the caller's words.
2. Write the calling code for each task first, as you would like it to look, with the handling of its
   errors. Only then the signature.
3. What is common must be one call; what is rare must be possible; what is dangerous must be deliberate.
4. Look at the neighbouring interfaces of the project. Consistent and slightly worse beats better and
   different.

## Names and shapes

- One word per concept, everywhere, and the domain's own word. If two things have one name, or one thing
  two, callers will confuse them.
- Nouns for things, verbs for what happens. Units in names where the type does not carry them: timeout_ms,
  size_bytes.
- Give each value the narrowest type that is true: an enumeration instead of a text, a date instead of a
  number, one of two shapes instead of five optional fields of which some exclude each other.
- No boolean arguments whose meaning cannot be read at the call. No two neighbouring parameters of one type:
  use names.
- Say what absent, null, empty and zero mean, and make no two of them mean the same.
- Return what the caller needs next, so that it need not ask again. Return collections as objects with a
  list in them; then something can be added later.
- Anything that can grow is paged from the first day, with a stable order and a cursor that survives
  insertions, and has a greatest page size.
- Times in UTC with their format said; money in the smallest unit with its currency; ids as opaque texts.

## Behaviour

- The obvious use is the right one. Safe defaults; the dangerous option is spelled out.
- Say for each operation whether repeating it is harmless. Where it is not, take a key from the caller that
  makes it so; networks repeat things.
- All or nothing. If it must be partial, the answer says for each part what became of it.
- Concurrent changes: say who wins. A version that must be sent back is better than the last writer.
- Long work: answer at once with something that can be asked about, listened to and cancelled.
- Every limit is documented (size, count, rate, time), and so is what happens at it.

## Errors

An error is part of the interface; design it like a result.

- A stable code for programs, a sentence for people, the field it is about. The sentence says what to do.
- Tell apart: the caller must change something; the caller may try again, and when; it is our fault.
- Same fault, same error, everywhere. Unknown input is refused, not ignored, so that a typing mistake is
  noticed.
- Nothing of the inside: no stack traces, queries, paths.

## Change

- Adding is safe only if callers ignore what they do not know: say from the start that they must.
- What breaks callers: removing, renaming, another type, a new required input, a stricter check, another
  default, another order, another error, much slower. Also what was never promised but is relied upon.
- To change: add the new beside the old, mark the old with what replaces it and until when, measure who
  still uses it, tell them, remove it.
- A version number is for the case that all this does not suffice, not a habit.
- Leave out what nobody needs yet. What is not there can be added; what is there stays.

## Before you call it done

- Write the documentation with one complete example per task that really runs. What is hard to explain is
  wrong.
- Use it yourself for something small and real, from outside.
- Try to misuse it: wrong order, twice, half the fields, too much. Is the answer helpful each time?
- Let somebody who did not design it write a client from the documentation alone, and watch where they
  hesitate.
- Keep the decision: what was considered, what was chosen, why, and what would make you choose differently.
`;
