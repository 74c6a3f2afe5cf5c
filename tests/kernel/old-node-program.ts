/**
 * Uses the kernel in any Node: `<node> <bundle of this> <folder>`. It prints the content of a log in memory, and the
 * errors for a folder, for tables and for `givenProjection`.
 */
import { z } from 'zod';
import { createCommandHandler, type Decider, define, type EventIn, openEventLog, project } from '../../src/kernel.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';

const events = { NoteTaken: define('NoteTaken', z.object({ text: z.string() })) };
type Event = EventIn<typeof events>;

const note: Decider<{ readonly text: string }, number, Event> = {
  category: 'note',
  events,
  initial: 0,
  decide: ({ text }) => [{ type: 'NoteTaken', data: { text } }],
  evolve: (count) => count + 1,
};

await using log = await openEventLog();
const texts = await project({
  log,
  events,
  initial: [] as readonly string[],
  evolve: (all, { data }) => [...all, data.text],
});
await createCommandHandler({ log }).dispatch(note, 'a', { text: 'kept' });
const refusedWith = (reason: unknown): string => String(reason);
const folder = await openEventLog({ folder: process.argv[2]! }).then(() => 'opened', refusedWith);
const tables = await project({ log, events, projections: [] }).then(() => 'made', refusedWith);
const projection = { name: 'notes', version: 1, tables: ['notes'], create: 'CREATE TABLE notes (id)', on: {} };
const tested = await (async () => givenProjection(projection))().then(() => 'made', refusedWith);
console.log(JSON.stringify({ texts: texts.state, folder, tables, tested }));
