/** The skill technical-writing. */

export const TECHNICAL_WRITING = `# Technical writing

Readers come with a question and little time. A text is good when they leave early with the right answer.

## Before the first sentence

1. **Who reads it, and what do they want to be able to do afterwards?** Write that at the top of your notes.
   What they know already decides what you may leave out.
2. **Which kind is it?** Do not mix them in one page:

   - *tutorial*: a beginner learns by doing; one path, every step works, no choices;
   - *how-to*: somebody with a goal; the steps, the conditions, how to see that it worked;
   - *reference*: somebody looks something up; complete, uniform, dry;
   - *explanation*: somebody wants to understand; reasons, alternatives, limits;
   - *proposal or decision*: somebody must say yes or no; the question, the choice, the consequences.

3. **Gather the facts and try them.** Run every command, open every link, read the code that the text is
   about. What you did not check is marked, or left out.
4. Look whether such a text exists. Mending a page is better than a second one that says it differently.

## Order

- The answer first, then how one gets there, then the background. A reader who stops after any paragraph has
  the best part of what was before.
- The title says what the page is for, in words the reader would search with. The first paragraph says for
  whom and what.
- One thought per paragraph, stated in its first sentence. Headings that inform ("Restore from a backup")
  instead of naming ("Backups").
- Steps are numbered, one action each, with what one sees when it worked and what to do when not. Conditions
  before the action: "If the disk is full, remove …", not the other way round. Warn before the dangerous
  step, not after it.
- Lists for things that are parallel, tables for things with several properties, prose for reasons.

## Sentences

- Say who does what: "the daemon writes the file", not "the file is being written to".
- Short, mostly below 25 words, with the main thing in the main clause. Two short sentences instead of one
  with three commas.
- One word for one thing, the same throughout; repeat it rather than vary it. Define a term where it first
  occurs, or do not use it.
- Present tense. "Must", "may" and "cannot" exactly as meant; "should" only where there are reasons not to.
- Numbers with units and conditions: "40 ms for 10 000 rows on two cores", not "fast".
- Leave out: simply, just, easily, obviously, very, basically, in order to, it should be noted that, and
  every sentence that announces the next one. No praise of the product.
- Examples are real, small and complete: input, command, output as it was. Placeholders look like
  placeholders and are explained once.

## Honesty

- Say what does not work, what was not tried, and what will not be done. Readers find it out anyway.
- Separate what you measured, what you read and what you conclude. Name the source, the version and the
  date.
- A decision names the alternatives at their best, and what would change your mind.

## Revise

A first draft is for the writer. Then, in this order:

1. Is each claim true? Try the examples again, from an empty folder.
2. Does it answer the question of the reader you wrote down? What is missing for them, what is there only
   for you?
3. Cut. A third usually goes: introductions, repetitions, history, second examples of one thing.
4. Read the headings and first sentences alone: do they tell the whole?
5. Read aloud. Where you stumble, the reader does.
6. Spelling, names, links, line lengths as the project has them.

## Keep it true

Put the text beside what it describes and change both together. Let examples be run by the tests where you
can. Name the version it was checked with. Delete what is no longer so; an outdated page is worse than none.
`;
