/** `daybook/kernel` on real files: every engine, commands, projections, subscriptions, and how they end. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { firstValueFrom, map, take, toArray } from 'rxjs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { bookmark } from '../../examples/bookmarks/decide.ts';
import { bookmarkEvents } from '../../examples/bookmarks/events.ts';
import { allBookmarks, bookmarks } from '../../examples/bookmarks/projection.ts';
import {
  type Backend,
  batchCommand,
  createCommandHandler,
  define,
  EventSchemaError,
  type Folded,
  follow,
  type OpenEventLog,
  type OpenEventLogOptions,
  openEventLog,
  type Policy,
  project,
  type ReadModels,
  Refusal,
  Refused,
  StorageError,
  subscribe,
} from '../../src/kernel.ts';
import { event, to } from '../storage/log-helpers.ts';
import { temporaryFolder } from '../support/folders.ts';

async function opened(options: OpenEventLogOptions = {}): Promise<OpenEventLog> {
  const log = await openEventLog(options);
  onTestFinished(() => log.close());
  return log;
}

async function add(log: OpenEventLog, ...ids: readonly string[]): Promise<void> {
  const { dispatch } = createCommandHandler({ log });
  for (const id of ids) {
    await dispatch(bookmark, id, { type: 'AddBookmark', fields: { url: `https://${id}.example`, title: id } });
  }
}

/** The titles in a fold in memory. */
function titlesOf(log: OpenEventLog): Promise<Folded<readonly string[]>> {
  return project({
    log,
    events: bookmarkEvents,
    initial: [] as readonly string[],
    evolve: (titles, event) => (event.type === 'BookmarkAdded' ? [...titles, event.data.title] : titles),
  });
}

function tablesOf(log: OpenEventLog, file?: string): Promise<ReadModels> {
  return project({ log, events: bookmarkEvents, projections: [bookmarks], ...(file !== undefined && { file }) });
}

const titlesIn = (models: ReadModels): readonly string[] =>
  allBookmarks(models)
    .map(({ title }) => title)
    .sort();

describe('openEventLog', () => {
  it.each(['cow', 'lsm', 'embedded_kv'] as const)('%s: events are there after a reopen', async (engine) => {
    const folder = join(temporaryFolder('kernel'), 'log');
    const before = await opened({ folder, engine });
    await add(before, 'a', 'b');
    const head = before.head();
    await before.close();
    const after = await opened({ folder });
    expect([after.engine, after.folder, after.head()]).toEqual([engine, folder, head]);
    expect((await after.verify()).ok).toBe(true);
  });

  it('without a folder the log is in memory', async () => {
    const log = await opened();
    await add(log, 'a');
    expect([log.engine, log.folder, log.head().position]).toEqual(['memory', null, 1]);
  });

  it.each([
    [{ engine: 'lsm' }, 'The engine lsm needs a folder.'],
    [{ engine: 'memory', folder: 'x' }, 'The engine memory takes no folder.'],
  ] satisfies readonly (readonly [{ engine: Backend; folder?: string }, string])[])(
    'refuses %j',
    async (options, message) => {
      await expect(openEventLog(options)).rejects.toThrow(new TypeError(message));
    },
  );

  it('refuses an engine that does not exist before it writes anything', async () => {
    const folder = join(temporaryFolder('kernel'), 'log');
    const options = { folder, engine: 'sqlite' };
    const message = 'There is no engine sqlite for a folder; the engines are cow, lsm, embedded_kv.';
    // @ts-expect-error: programs in JavaScript are not checked by types
    await expect(openEventLog(options)).rejects.toMatchObject({ code: 'STORAGE_CONFIG', message });
    expect(existsSync(folder)).toBe(false);
  });

  it('the end of an await using block closes the log, and a folder keeps its engine', async () => {
    const folder = temporaryFolder('kernel');
    {
      await using log = await openEventLog({ folder, engine: 'lsm' });
      await add(log, 'a');
    }
    await expect(openEventLog({ folder, engine: 'cow' })).rejects.toMatchObject({ code: 'STORAGE_BACKEND_MISMATCH' });
    await expect(openEventLog({ folder, engine: 'cow' })).rejects.toBeInstanceOf(StorageError);
  });

  it('a backup that is made while the log is open opens as a log', async () => {
    const folder = temporaryFolder('kernel');
    const log = await opened({ folder: join(folder, 'log') });
    await add(log, 'a', 'b');
    await log.backup(join(folder, 'copy'));
    await add(log, 'c');
    const copy = await opened({ folder: join(folder, 'copy') });
    expect(copy.head().treeHash).toBe(log.treeHash(2));
  });
});

describe('createCommandHandler', () => {
  it('appends nothing to a stream without an id, by a command, by a policy and by a batch', async () => {
    const log = await opened();
    const { dispatch, dispatchBatch, load } = createCommandHandler({ log });
    const command = { type: 'AddBookmark', fields: { url: 'https://example.org', title: 'An example' } } as const;
    const error = new TypeError('The stream bookmark- has an empty id; a stream name is <category>-<id>.');
    await expect(dispatch(bookmark, '', command)).rejects.toThrow(error);
    const policy: Policy<unknown> = (unit) => void unit.send(bookmark, '', command);
    await expect(dispatch(bookmark, 'a', command, { policy })).rejects.toThrow(error);
    await expect(dispatchBatch([batchCommand(bookmark, '', command)])).rejects.toThrow(error);
    expect([log.head().position, load(bookmark, '')]).toEqual([0, 'none']);
  });

  it('refuses a category with a hyphen, because the id in a stream name begins after the first one', async () => {
    const { dispatch, load } = createCommandHandler({ log: await opened() });
    const hyphenated = { ...bookmark, category: 'saved-bookmark' };
    const message = 'The category saved-bookmark has a hyphen; a stream name is <category>-<id>: write saved_bookmark.';
    const fields = { url: 'https://a.example', title: 'a' };
    await expect(dispatch(hyphenated, 'a', { type: 'AddBookmark', fields })).rejects.toThrow(new TypeError(message));
    expect(() => load(hyphenated, 'a')).toThrow(new TypeError(message));
  });

  it('decides, appends with the actor, and refuses', async () => {
    const log = await opened();
    const { dispatch, load } = createCommandHandler({ log, actor: 'import', clock: { now: () => 1_000 } });
    const command = { type: 'AddBookmark', fields: { url: 'https://a.example', title: 'A' } } as const;
    const { state, events } = await dispatch(bookmark, 'a', command);
    expect(state).toBe('present');
    expect(events).toMatchObject([{ stream: 'bookmark-a', version: 1, actor: 'import', at: 1_000, correlation: null }]);
    await expect(dispatch(bookmark, 'a', command)).rejects.toThrow(Refused);
    const origin = { actor: 'someone', correlation: 'request-7' };
    await dispatch(bookmark, 'a', { type: 'DeleteBookmark' }, { origin });
    expect(log.at(2)).toMatchObject(origin);
    expect(load(bookmark, 'a')).toBe('deleted');
  });
});

describe('project, in memory', () => {
  it('holds the stored events, then each commit before its promise resolves', async () => {
    const log = await opened();
    await add(log, 'a', 'b');
    using titles = await titlesOf(log);
    expect([titles.state, titles.position]).toEqual([['a', 'b'], 2]);
    await add(log, 'c');
    expect([titles.state, titles.position]).toEqual([['a', 'b', 'c'], 3]);
  });

  it('folds events that are appended while it catches up', async () => {
    const log = await opened();
    const ids = Array.from({ length: 1_500 }, (_, index) => `b${index}`);
    await Promise.all(ids.map((id) => add(log, id)));
    const [titles] = await Promise.all([titlesOf(log), add(log, 'late', 'later')]);
    expect(titles.state).toEqual([...titles.state.slice(0, 1_500), 'late', 'later']);
    expect(new Set(titles.state).size).toBe(1_502);
  });

  it('catches up with a writer that never pauses', async () => {
    const log = await opened();
    await add(log, 'first');
    let added = 0;
    let isStopped = false;
    const writing = (async () => {
      for (; !isStopped && added < 1_000; added += 1) await add(log, `${added}`);
    })();
    using titles = await titlesOf(log);
    isStopped = true;
    await writing;
    expect(added).toBeLessThan(1_000);
    expect(titles.state).toEqual(['first', ...Array.from({ length: added }, (_, number) => `${number}`)]);
  });

  it('begins in a listener of a commit without that commit twice', async () => {
    const log = await opened();
    const opening: Promise<Folded<readonly string[]>>[] = [];
    const unsubscribe = log.onAppended(() => opening.push(titlesOf(log)));
    await add(log, 'a');
    unsubscribe();
    await add(log, 'b');
    using titles = await opening[0]!;
    expect(titles.state).toEqual(['a', 'b']);
  });

  it('does not change after it is disposed of', async () => {
    const log = await opened();
    const titles = await titlesOf(log);
    titles[Symbol.dispose]();
    await add(log, 'a');
    expect(titles.state).toEqual([]);
  });

  it('a fold that throws makes the state throw, and the log goes on', async () => {
    const log = await opened();
    using counted = await project({
      log,
      events: bookmarkEvents,
      initial: 0,
      evolve(count) {
        if (count === 1) throw new Error('no more');
        return count + 1;
      },
    });
    await add(log, 'a', 'b');
    expect(() => counted.state).toThrow('no more');
    expect(log.head().position).toBe(2);
    await expect(project({ log, events: strict, initial: 0, evolve: (count) => count + 1 })).rejects.toThrow(
      EventSchemaError,
    );
  });
});

/** The same event type with data that no stored event has. */
const strict = { BookmarkAdded: define('BookmarkAdded', z.object({ stars: z.int() })) };

describe('project, in tables', () => {
  it('the tables hold the log, follow it, and go on in the next process', async () => {
    const folder = temporaryFolder('kernel');
    const file = join(folder, 'views.db');
    const log = await opened({ folder: join(folder, 'log') });
    await add(log, 'a');
    const models = await tablesOf(log, file);
    await add(log, 'b');
    expect([titlesIn(models), models.position]).toEqual([['a', 'b'], 2]);
    await log.close();
    expect(() => titlesIn(models)).toThrow(Refused);
    const again = await opened({ folder: join(folder, 'log') });
    await add(again, 'c');
    using after = await tablesOf(again, file);
    expect(titlesIn(after)).toEqual(['a', 'b', 'c']);
    await after.rebuild();
    expect(titlesIn(after)).toEqual(['a', 'b', 'c']);
  });

  it('are changed by their projections alone: a statement that writes is refused', async () => {
    const log = await opened();
    await add(log, 'a');
    using models = await tablesOf(log);
    for (const sql of [
      "INSERT INTO bookmarks VALUES ('x', 'u', 't', 1) RETURNING id",
      "UPDATE bookmarks SET title = 'b' RETURNING title",
      'DELETE FROM bookmarks RETURNING id',
    ]) {
      const error = new TypeError(`Only projections change the tables; this statement writes: ${sql}`);
      expect(() => models.all(sql)).toThrow(error);
      expect(() => models.get(sql)).toThrow(error);
    }
    expect(titlesIn(models)).toEqual(['a']);
  });

  it('a closed log has none, and no fold in memory, also when it is empty', async () => {
    const folder = temporaryFolder('kernel');
    const log = await opened({ folder: join(folder, 'log') });
    await log.close();
    await expect(tablesOf(log, join(folder, 'views.db'))).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
    await expect(titlesOf(log)).rejects.toMatchObject({ code: 'STORAGE_CLOSED' });
    expect(existsSync(join(folder, 'views.db'))).toBe(false);
  });

  it('batches are emitted once the tables hold them', async () => {
    const log = await opened();
    using models = await tablesOf(log);
    const seen: (readonly string[])[] = [];
    models.folded$.subscribe(() => seen.push(titlesIn(models)));
    await add(log, 'a', 'b');
    expect(seen).toEqual([['a'], ['a', 'b']]);
  });

  it('are rebuilt while writers never pause', async () => {
    const log = await opened();
    using models = await tablesOf(log);
    let appended = 0;
    let isStopped = false;
    // From 16 appends on, the log decides one batch while it commits another.
    const writing = Array.from({ length: 16 }, async () => {
      while (!isStopped && appended < 5_000) {
        appended += 1;
        await log.append([to('other-1', [event(appended)])]);
      }
    });
    await new Promise((resolve) => setImmediate(resolve));
    await models.rebuild();
    isStopped = true;
    await Promise.all(writing);
    expect(appended).toBeLessThan(5_000);
    expect(models.position).toBe(log.head().position);
  });

  it('a projection that fails is named, and its reads are refused', async () => {
    const log = await opened();
    const lines: string[] = [];
    const on = {
      BookmarkAdded: () => {
        throw new Error('no room');
      },
    };
    const projections = [{ ...bookmarks, on }];
    const report = (line: string): void => void lines.push(line);
    using models = await project({ log, events: bookmarkEvents, projections, report });
    await add(log, 'a');
    const failure = 'The projection bookmarks failed at position 1: no room';
    expect(() => allBookmarks(models)).toThrow(Refused);
    expect(() => allBookmarks(models)).toThrow(`${failure}. Change the projection, then open the tables again.`);
    expect(models.failures.get('bookmarks')).toBe(failure);
    expect(lines).toEqual([expect.stringContaining('no room')]);
  });

  it('a table that lacks an event of a newer program is refused', async () => {
    const log = await opened();
    const data = bookmarkEvents.BookmarkAdded.data;
    const newer = define('BookmarkAdded', { version: 2, data, upcast: { 1: (older) => older } });
    const fields = { url: 'https://a.example', title: 'a' };
    const { dispatch } = createCommandHandler({ log });
    const events = { ...bookmarkEvents, BookmarkAdded: newer };
    await dispatch({ ...bookmark, events }, 'a', { type: 'AddBookmark', fields });
    using models = await tablesOf(log);
    const message = 'The table lacks an event of a newer program; upgrade this one.';
    expect(() => allBookmarks(models)).toThrow(new Refused(new Refusal('unavailable', message)));
  });

  it('a projection that failed follows the log again once its fold is corrected', async () => {
    const log = await opened();
    const file = join(temporaryFolder('kernel'), 'views.db');
    const on = {
      BookmarkAdded: () => {
        throw new Error('a mistake');
      },
    };
    {
      using models = await project({ log, events: bookmarkEvents, projections: [{ ...bookmarks, on }], file });
      await add(log, 'a', 'b');
      expect([...models.failures.keys()]).toEqual(['bookmarks']);
    }
    using models = await tablesOf(log, file);
    expect(titlesIn(models)).toEqual(['a', 'b']);
  });
});

describe('subscribe', () => {
  it('sends stored events, then live ones, without gap or duplicate, and completes with the log', async () => {
    const log = await opened();
    await Promise.all(Array.from({ length: 600 }, (_, index) => add(log, `b${index}`)));
    const seen: number[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const { promise: completed, resolve: complete } = Promise.withResolvers<void>();
    subscribe({ log, after: 10 }).subscribe({
      next({ position }) {
        seen.push(position);
        if (position === 602) resolve();
      },
      complete,
    });
    await add(log, 'late', 'later');
    await promise;
    expect(seen).toEqual(Array.from({ length: 592 }, (_, index) => index + 11));
    await log.close();
    await completed;
  });

  it('selects by stream, category and type, and decodes', async () => {
    const log = await opened();
    await add(log, 'a', 'b');
    const { dispatch } = createCommandHandler({ log });
    await dispatch(bookmark, 'a', { type: 'DeleteBookmark' });
    await log.append([{ stream: 'other-1', expectedVersion: 'any', events: [log.at(1)!].map(asNew) }]);
    const positions = (selection: object, count: number): Promise<number[]> => {
      const events$ = subscribe({ log, events: bookmarkEvents, ...selection });
      return firstValueFrom(
        events$.pipe(
          map(({ position }) => position),
          take(count),
          toArray(),
        ),
      );
    };
    expect(await positions({}, 4)).toEqual([1, 2, 3, 4]);
    expect(await positions({ stream: 'bookmark-a' }, 2)).toEqual([1, 3]);
    expect(await positions({ stream: 'bookmark-a', after: 1 }, 1)).toEqual([3]);
    expect(await positions({ category: 'other' }, 1)).toEqual([4]);
    expect(await positions({ types: ['BookmarkDeleted'] }, 1)).toEqual([3]);
  });

  it('errors for data that fits no schema', async () => {
    const log = await opened();
    await add(log, 'a');
    const failed = new Promise((resolve) => subscribe({ log, events: strict }).subscribe({ error: resolve }));
    expect(await failed).toBeInstanceOf(EventSchemaError);
  });
});

it('follow reads the next event on request, and ends with the log', async () => {
  const log = await opened();
  await add(log, 'a', 'b');
  const seen: string[] = [];
  for await (const event of follow({ log, events: bookmarkEvents, types: ['BookmarkAdded'] })) {
    if (event.type === 'BookmarkAdded') seen.push(event.data.title);
    if (seen.length === 1) await add(log, 'c');
    if (seen.length === 3) setImmediate(() => void add(log, 'd'));
    if (seen.length === 4) setImmediate(() => void log.close());
  }
  expect(seen).toEqual(['a', 'b', 'c', 'd']);
});

function asNew({ type, schema, at, actor, data }: NonNullable<ReturnType<OpenEventLog['at']>>) {
  return {
    id: '01890a5d-ac96-774b-bcce-b302099a8057',
    type,
    schema,
    at,
    actor,
    correlation: null,
    causation: null,
    data,
  };
}
