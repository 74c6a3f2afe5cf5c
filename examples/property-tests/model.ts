/**
 * Bookmarks over HTTP compared with a model in a map: random requests, kills in the middle of them, and restarts.
 *
 *     node examples/property-tests/model.ts          passes
 *     node examples/property-tests/model.ts --bug    fails with the fewest steps, and a line that replays them
 */
import fc from 'fast-check';
import {
  arbitraryValue,
  assertSame,
  type ModelRunOptions,
  modelRun,
  step,
  type TestDaemon,
} from '../../src/testing/testing.ts';
import { zBookmarkFields } from '../bookmarks/events.ts';
import { bookmarkResource } from '../bookmarks/resource.ts';

/** The expected bookmarks: titles by id. */
type Model = Map<string, string>;

type Resource = typeof bookmarkResource;

/** The planted bug: a deletion is kept in memory and not recorded, so a restart brings the bookmark back. */
const forgetful: Resource = {
  ...bookmarkResource,
  routes(deps) {
    const deleted = new Set<unknown>();
    return bookmarkResource.routes(deps).map((spec) => ({
      ...spec,
      async handle(call) {
        if (spec.method === 'DELETE') {
          deleted.add(call.request.url.split('/').at(-1));
          return { kind: 'empty', status: 204 };
        }
        const answer = await spec.handle(call);
        if (spec.method !== 'GET' || answer.kind !== 'value') return answer;
        const { bookmarks } = answer.value as { bookmarks: readonly { id: string }[] };
        return { ...answer, value: { bookmarks: bookmarks.filter(({ id }) => !deleted.has(id)) } };
      },
    }));
  },
};

async function listed(daemon: TestDaemon): Promise<Model> {
  const { bookmarks } = await daemon.json<{ bookmarks: { id: string; title: string }[] }>('GET', '/bookmarks');
  return new Map(bookmarks.map(({ id, title }) => [id, title] as const).sort());
}

const add = step<Model, { url: string; title: string }>({
  name: 'Add',
  input: arbitraryValue(zBookmarkFields),
  async run(model, daemon, fields) {
    const { id } = await daemon.json<{ id: string }>('POST', '/bookmarks', fields);
    model.set(id, fields.title);
  },
  // Without an answer the id is unknown: there may be at most one new bookmark, and it must be this one.
  async unanswered(model, daemon, { title }) {
    const added = [...(await listed(daemon))].filter(([id]) => !model.has(id));
    assertSame(added.slice(0, 1), added, 'One request added more than one bookmark');
    for (const [id, found] of added) {
      assertSame(found, title, 'The request added another bookmark');
      model.set(id, found);
    }
  },
});

const remove = step<Model, number>({
  name: 'Delete',
  input: fc.nat(3),
  when: (model, index) => index < model.size,
  async run(model, daemon, index) {
    const id = [...model.keys()].sort()[index]!;
    await daemon.json('DELETE', `/bookmarks/${id}`);
    model.delete(id);
  },
  async unanswered(model, daemon, index) {
    const id = [...model.keys()].sort()[index]!;
    if (!(await listed(daemon)).has(id)) model.delete(id);
  },
});

type Limits = Pick<ModelRunOptions<Model>, 'runs' | 'seed' | 'replay'>;

export async function suite({ bug, ...limits }: { readonly bug: boolean } & Limits): Promise<void> {
  await modelRun<Model>({
    ...limits,
    model: () => new Map(),
    steps: [add, remove],
    holds: async (model, daemon) => assertSame(await listed(daemon), new Map([...model].sort()), 'The list differs'),
    daemon: { resources: [bug ? forgetful : bookmarkResource] },
  });
}

if (import.meta.main) await suite({ bug: process.argv.includes('--bug') });
