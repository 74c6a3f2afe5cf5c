/** What a start rehearses, so that the first question somebody asks finds compiled code. */

import { NEVER } from 'rxjs';
import { expect, it } from 'vitest';
import { memory } from '../../src/projections/memory/memory.ts';
import { openViews } from '../../src/projections/views.ts';
import { createMemoryKeeper } from '../../src/reactors/memory/memory-store.ts';

function stored(drawers: number) {
  const views = openViews(null);
  views.exec(memory.create);
  for (let at = 1; at <= drawers; at += 1) {
    const place = { id: `d${at}`, text_id: 't', index: 0, start: 0, kind: 'new', of: null, source: 's', sealed: null };
    const more = { content_key: `${at}`, line_key: `${at}`, source_key: 's', wing: 'w', room: 'semantic' };
    const data = { ...place, ...more, content: `drawer ${at} ${'word '.repeat(40)}` };
    memory.on.DrawerStored!(views, { type: 'DrawerStored', stream: 'drawer-s', data, position: at, at } as never);
  }
  return createMemoryKeeper({ views, log: {}, folded$: NEVER, announce: () => undefined } as never);
}

async function over(keeper: ReturnType<typeof stored>): Promise<void> {
  while (keeper.isWarming()) await new Promise((resolve) => setImmediate(resolve));
}

it('every step is run with the beginnings of the newest drawers, while the start says that it is warming', async () => {
  const keeper = stored(10);
  const asked: string[] = [];
  const note = (step: string) => (question: string) => {
    expect(keeper.isWarming()).toBe(true);
    expect(question.length).toBeLessThan(100);
    asked.push(`${step} ${question.split(' ')[1]}`);
  };
  await keeper.start([note('memories'), note('drawers')]);
  await over(keeper);
  const newest = Array.from({ length: 8 }, (_, at) => 10 - at);
  expect(asked).toEqual(newest.flatMap((at) => [`memories ${at}`, `drawers ${at}`]));
});

it('none is begun once the daemon stops', async () => {
  const keeper = stored(10);
  let count = 0;
  await keeper.start([
    () => {
      count += 1;
      keeper.stop();
    },
  ]);
  await over(keeper);
  expect(count).toBe(1);
});
