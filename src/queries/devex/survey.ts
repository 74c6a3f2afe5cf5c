/** The text of the quarterly survey, for questions that a repository cannot answer. */

export const SURVEY = `# Engineering experience survey

Quarterly, in under five minutes. Anonymous. Shown at team level and above; a group of fewer than five people is counted
with the one above it.

**Not** for performance reviews, pay, or any decision about a person. Say so where you ask: honest answers depend on it.

## Ask about the last two weeks

What happened in general is a story; what happened since the last sprint is remembered.

### Satisfaction & wellbeing

1. In the last two weeks, how often were your tools in the way of your work? *(never / rarely / weekly / daily)*
2. How likely are you to recommend this as a place to build software? *(0–10)*
3. **If you could change one thing about your development environment, what would it be?** *(free text)*

### Efficiency & flow

4. When you made your last change, how long did you wait for CI in total? *(minutes)*
5. In the last two weeks, on how many days did you have at least two hours without interruption? *(0–10)*
6. **What cost you the most time that should not have?** *(free text)*

### Communication & collaboration

7. How long did your last change wait for its first review? *(hours)*
8. When you needed help from outside your team, how easy was it to get? *(1–5)*
9. **What did you have to ask a person for that you should have been able to do yourself?** *(free text)*

### Performance

10. In the last two weeks, was anything that you shipped rolled back or hot-fixed? *(yes / no)*

## Running it

- Before each round, publish what changed because of the last one. People answer when answering changed something.
- Look at teams one by one: the mean of a large organisation hides the few teams that suffer.
- Make plans from the free text (questions 3, 6 and 9); the scales only show whether things move.
`;
