/**
 * Random histories over two projects compared with a model: listed connectors, missing credentials, and the content of
 * the vault; also after a restart and after a rebuild of the views.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ask } from '../support/asking.ts';
import { type TestDaemon, testDaemon } from '../support/daemon.ts';
import { byDepth } from '../support/depth.ts';
import { temporaryFolder } from '../support/folders.ts';

const PATH = '/api/vibedesk/connectors';

interface Modelled {
  readonly id: string;
  readonly names: readonly string[];
  enabled: boolean;
}

const place = fc.constantFrom(0, 1);
const id = fc.constantFrom('a', 'b', 'c');
const names = fc.uniqueArray(fc.constantFrom('KEY_1', 'KEY_2'), { maxLength: 2 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('add' as const), place, id, names }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('toggle' as const), place, id, enabled: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), place, id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const), withoutViews: fc.boolean() }) },
);

const RUNS = byDepth({ sample: 2, dense: 4, long: 40 });

it(
  'answers and keeps what the model says after every step of a random history',
  async () => {
    const history = fc.array(step, { minLength: 20, maxLength: 60 });
    await fc.assert(fc.asyncProperty(history, walk), { numRuns: RUNS });
  },
  RUNS * 30_000,
);

async function walk(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): Promise<void> {
  const [home, workspace] = [temporaryFolder('home'), temporaryFolder('workspace')];
  const places = [temporaryFolder('project'), temporaryFolder('project')];
  const model: Modelled[][] = [[], []];
  let daemon = await testDaemon({ home, workspace });
  try {
    for (const each of steps) {
      if (each.kind === 'restart') {
        await daemon.stop();
        if (each.withoutViews) rmSync(join(home, 'views.db'), { force: true });
        daemon = await testDaemon({ home, workspace });
      } else {
        const { id: named, place: at } = each;
        const there = model[at]!.find((one) => one.id === named);
        const ask = (route: string, body: object) => post(daemon, route, { id: named, path: places[at], ...body });
        switch (each.kind) {
          case 'add': {
            const credentials = Object.fromEntries(each.names.map((name) => [name, `secret of ${named}`]));
            const { status } = await ask('', { command: 'x', credentials });
            expect(status).toBe(there === undefined ? 200 : 400);
            if (there === undefined) model[at]!.push({ id: named, names: each.names.toSorted(), enabled: true });
            break;
          }
          case 'toggle':
            expect((await ask('/toggle', { enabled: each.enabled })).status).toBe(there === undefined ? 400 : 200);
            if (there !== undefined) there.enabled = each.enabled;
            break;
          case 'remove': {
            const removed = { id: named, removed: there !== undefined, secrets_deleted: there?.names.length ?? 0 };
            expect((await ask('/remove', {})).body).toEqual(removed);
            model[at] = model[at]!.filter((one) => one !== there);
          }
        }
      }
      await compare(daemon, { places, model });
    }
  } finally {
    await daemon.stop();
  }
}

async function compare(daemon: TestDaemon, { places, model }: { places: readonly string[]; model: Modelled[][] }) {
  for (const [at, path] of places.entries()) {
    const response = await daemon.request(`${PATH}?path=${path}`);
    const { connectors } = (await response.json()) as { connectors: Record<string, unknown>[] };
    expect(
      connectors.map(({ id: named, enabled, credential_names: given, missing_credentials: missing }) => {
        return { id: named, enabled, names: given, missing };
      }),
    ).toEqual(model[at]!.map((one) => ({ ...one, missing: [] })));
  }
  const kept = model.flat().filter((one) => one.names.length > 0).length;
  expect(ownersIn(daemon.home)).toBe(kept);
}

function ownersIn(home: string): number {
  try {
    return Object.keys((JSON.parse(readFileSync(join(home, 'vault/vault.json'), 'utf8')) as { owners: object }).owners)
      .length;
  } catch {
    return 0;
  }
}

const post = (daemon: TestDaemon, route: string, body: object) => ask<unknown>(daemon, 'POST', PATH + route, body);
