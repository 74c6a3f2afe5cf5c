/** The warm-up at a start: questions run before the first request, so that it finds compiled code. */
import { EMPTY } from 'rxjs';
import { expect, it } from 'vitest';
import type { Place } from '../../src/events/memory/drawers.ts';
import { memory } from '../../src/projections/memory/memory.ts';
import { openViews } from '../../src/projections/views.ts';
import { EncryptionState } from '../../src/reactors/memory/encryption-state.ts';
import { openSealedIndex } from '../../src/reactors/memory/text-index.ts';

function stateWith(drawers: number): EncryptionState {
  const views = openViews(null);
  views.exec(memory.create);
  for (let at = 1; at <= drawers; at += 1) {
    const data: Place = {
      ...{ id: `d${at}`, text_id: 't', index: 0, start: 0, kind: 'new', of: null, source: 's', sealed: null },
      ...{ content_key: `${at}`, line_key: `${at}`, source_key: 's', wing: 'w', room: 'semantic' },
      content: `drawer ${at} ${'word '.repeat(40)}`,
    };
    const envelope = { type: 'DrawerStored', stream: 'drawer-s', position: at, version: at, at, actor: 'owner' };
    memory.on.DrawerStored!(views, { ...envelope, data });
  }
  return new EncryptionState({ views, folded$: EMPTY, openIndex: openSealedIndex });
}

it('runs every step with the beginnings of the newest drawers, and is warming meanwhile', async () => {
  const state = stateWith(10);
  const asked: string[] = [];
  const record = (step: string) => (question: string) => {
    expect(state.isWarming()).toBe(true);
    expect(question.length).toBeLessThan(100);
    asked.push(`${step} ${question.split(' ')[1]}`);
  };
  await state.warmUp([record('memories'), record('drawers')]);
  expect(state.isWarming()).toBe(false);
  const newest = Array.from({ length: 8 }, (_, at) => 10 - at);
  expect(asked).toEqual(newest.flatMap((at) => [`memories ${at}`, `drawers ${at}`]));
});

it('begins no step once the daemon stops', async () => {
  const state = stateWith(10);
  let count = 0;
  await state.warmUp([
    () => {
      count += 1;
      state.stop();
    },
  ]);
  expect(count).toBe(1);
});
