/** The same long text sent to two daemons of one log at the same time: each piece is stored once. */
import { expect, it } from 'vitest';
import type { MemoryAddDrawersAnswer, MemoryListDrawersAnswer } from '../../src/client/generated/types.ts';
import { withPostgres } from '../support/postgres.ts';
import { until } from '../support/until.ts';
import { json, type NodeDaemon, nodeDaemon, positionOf } from './support.ts';

/** 900 kB: some 1 290 pieces, in 21 commits. */
const LONG = Array.from({ length: 140_000 }, (_, at) => `w${(at * 7_919) % 99_991}`)
  .join(' ')
  .slice(0, 900_000);
/** As `chunksOf` cuts it. */
const STEP = 700;
const PIECES = Math.ceil((LONG.length - 800) / STEP) + 1;

withPostgres('a text of 900 kB', (cluster) => {
  async function two(): Promise<readonly [NodeDaemon, NodeDaemon]> {
    const url = await cluster().newLog();
    return Promise.all([nodeDaemon({ url }), nodeDaemon({ url })]);
  }

  function keep(daemon: NodeDaemon, source: string): Promise<Response> {
    return daemon.request('/memory/chunk', { method: 'POST', body: JSON.stringify({ content: LONG, source }) });
  }

  async function kept(answer: Response): Promise<MemoryAddDrawersAnswer> {
    const text = await answer.text();
    expect([answer.status, answer.status === 201 ? '' : text]).toEqual([201, '']);
    return JSON.parse(text) as MemoryAddDrawersAnswer;
  }

  async function pieces(daemon: NodeDaemon, source: string): Promise<MemoryListDrawersAnswer['drawers']> {
    const all: MemoryListDrawersAnswer['drawers'][number][] = [];
    for (let after: number | null = 0; after !== null; ) {
      const page: MemoryListDrawersAnswer = await json(
        daemon,
        `/memory/drawers?source=${source}&limit=1000&after=${after}`,
      );
      all.push(...page.drawers);
      after = page.next;
    }
    return all;
  }

  /** Both daemons have every piece once, in order, and nothing failed. */
  async function expectOnce(daemons: readonly [NodeDaemon, NodeDaemon], source: string): Promise<void> {
    const head = Math.max(...(await Promise.all(daemons.map(positionOf))));
    for (const daemon of daemons) {
      await until(async () => (await positionOf(daemon)) >= head, 'both have the same log');
      const list = await pieces(daemon, source);
      expect(list.map(({ start }) => start)).toEqual(Array.from({ length: PIECES }, (_, at) => at * STEP));
      expect(new Set(list.map(({ id }) => id)).size).toBe(PIECES);
      expect((await json<{ status: string }>(daemon, '/health')).status).toBe('ok');
    }
  }

  it('is kept once by two daemons that get it at once, and both answer with its id', async () => {
    const daemons = await two();
    const [one, other] = await Promise.all(
      (await Promise.all(daemons.map((daemon) => keep(daemon, 'book')))).map(kept),
    );
    expect(one!.text_id).toBe(other!.text_id);
    expect([one!.chunks, other!.chunks]).toEqual([PIECES, PIECES]);
    expect(one!.chunks_created + other!.chunks_created).toBe(one!.total_drawers);
    await expectOnce(daemons, 'book');
  });

  it('that was cut off is completed once by two daemons that get it at once', async () => {
    const url = await cluster().newLog();
    const cut = await nodeDaemon({ url });
    const lost = keep(cut, 'book').catch(() => null);
    await until(async () => (await pieces(cut, 'book')).length > 64, 'a part of it is kept');
    await cut.kill('SIGKILL');
    await lost;
    const daemons = await Promise.all([nodeDaemon({ url }), nodeDaemon({ url })]);
    const begun = (await pieces(daemons[0], 'book')).length;
    expect(begun).toBeGreaterThan(64);
    expect(begun).toBeLessThan(PIECES);
    const [one, other] = await Promise.all(
      (await Promise.all(daemons.map((daemon) => keep(daemon, 'book')))).map(kept),
    );
    expect(one!.text_id).toBe(other!.text_id);
    await expectOnce(daemons, 'book');
  });

  it('is kept by the other daemon when the one that began is killed', async () => {
    const daemons = await two();
    const lost = keep(daemons[0], 'book').catch(() => null);
    await until(async () => (await pieces(daemons[1], 'book')).length > 64, 'the other has a part of it');
    const answer = keep(daemons[1], 'book');
    await daemons[0].kill('SIGKILL');
    await lost;
    await kept(await answer);
    const list = await pieces(daemons[1], 'book');
    expect(list.map(({ start }) => start)).toEqual(Array.from({ length: PIECES }, (_, at) => at * STEP));
  });
});
