/**
 * The changes that `npm run test:evidence:long` makes to every byte of a bundle of 1 000 events, here to some of its
 * bytes.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { byDepth } from '../support/depth.ts';
import { EVENTS, largeBundle, READER_VKEY } from './every-byte/bundle.ts';
import { Changes, PASSES } from './every-byte/changes.ts';

const PLACES = byDepth({ sample: 50, dense: 250 });
/** Of these, so many are also verified with nothing kept from one verification to the next. */
const ANEW = byDepth({ sample: 10, dense: 50 });

let changes: Changes;
beforeAll(async () => {
  changes = new Changes(await largeBundle(), READER_VKEY);
});

describe(`a byte of a bundle of ${EVENTS} events`, () => {
  it.each(PASSES)('changed: it is detected (%s)', async (pass) => {
    const missed: string[] = [];
    for (const number of spread(changes.counts[pass], PLACES)) {
      const { where, report } = await changes.at(pass, number);
      if (report.ok) missed.push(where);
    }
    expect(missed).toEqual([]);
  });

  it('is named the same whether parts that did not change are kept or not', async () => {
    for (const number of spread(changes.counts.content, ANEW)) {
      const { where, report } = await changes.at('content', number);
      expect([where, await changes.anew(number)]).toEqual([where, report]);
    }
  });
});

function spread(count: number, places: number): readonly number[] {
  return Array.from({ length: places }, (_, at) => Math.floor(((at + 0.5) * count) / places));
}
