/** The history of an engagement in words: the events of one command are one line. */
import { expect, it } from 'vitest';
import type { Change } from '../../web/views/engagements/data.ts';
import { momentsOf, sentenceOfMoment } from '../../web/views/engagements/words.ts';

function added(position: number, causation: string): Change {
  const row = {
    deliverable_id: `d${position}`,
    origin: 'added',
    title: `Row ${position}`,
    reason: 'Added on request.',
  };
  return {
    ...{ position, stream: 'engagement-e', version: position, id: `e${position}`, type: 'DeliverableAdded', schema: 1 },
    ...{ at: 1_000, actor: 'owner', correlation: causation, causation, data: row, leaf_hash: '', reason: row.reason },
  };
}

const titles = new Map([1, 2, 3, 4].map((position) => [`d${position}`, `Row ${position}`]));
const sentences = (changes: readonly Change[]) => momentsOf(changes).map((moment) => sentenceOfMoment(moment, titles));

it('two commands of the same millisecond are two lines', () => {
  expect(sentences([added(1, 'a'), added(2, 'b')])).toEqual([
    'added the deliverable “Row 1”',
    'added the deliverable “Row 2”',
  ]);
});

it('the rows that one command added from the template are one line', () => {
  expect(sentences([added(1, 'a'), added(2, 'b'), added(3, 'b'), added(4, 'b')])).toEqual([
    'added the deliverable “Row 1”',
    'added 3 rows of the template',
  ]);
});
