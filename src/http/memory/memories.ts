/** Memories one by one: add, pin, unpin, delete. */
import { z } from 'zod';
import { MEMORY_NOT_FOUND, memory } from '../../commands/memory/decide.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { fact } from '../../commands/memory/fact.ts';
import { RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import { Refused } from '../../commands/refusal.ts';
import type { Config } from '../../config.ts';
import { SECTOR_TRAITS, zSector } from '../../events/memory/events.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { drawerRow, textsWith } from '../../projections/memory/drawers.ts';
import { factRow } from '../../projections/memory/facts.ts';
import { memoryRow, reflectionsOn } from '../../projections/memory/memories.ts';
import { idOf } from '../../projections/projection.ts';
import { nearestTexts } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import { recognise } from '../../queries/memory/loops.ts';
import {
  answersOnLoops,
  answerTo,
  eraseTexts,
  memoryBody,
  seconds,
  textPositions,
} from '../../queries/memory/memory-context.ts';
import type { MemoryKeeper } from '../../reactors/memory/memory-store.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { CommandHandler } from '../../streams/command-handler.ts';
import { batchCommand } from '../../streams/command-handler.ts';
import type { Projector } from '../../streams/projector.ts';
import { type Answer, value } from '../server/answer.ts';
import { type Call, type RouteSpec, route } from '../server/route.ts';
import { common, refused, zDone, zId, zText } from './schemas.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly memory: MemoryKeeper;
}

/** From this cosine on two memories are linked, each to at most this many others. */
const WAYPOINT_COSINE_MIN = 0.65;
const WAYPOINTS_LAID_MAX = 5;

const zAdd = z.object({
  content: zText,
  tags: z.array(z.string()).nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
  project_id: z.string().nullish(),
  session_id: z.string().nullish(),
});

const zNamed = z.object({ id: zId });

const zAdded = z.object({
  id: z.string(),
  sector: zSector,
  tags: z.array(z.string()),
  weight: z.number(),
  created_at: z.int(),
  /** Present when the text was ours before and nothing was stored. */
  recognised: z.enum(['exact', 'near']).optional(),
});

export function keepRoutes(deps: Dependencies): readonly RouteSpec[] {
  return [addRoute(deps), ...pinRoutes(deps), deleteRoute(deps)];
}

function addRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/add',
    summary: 'Keeps a memory in the sector its words belong to. Text that came out of a context block is only counted.',
    body: zAdd,
    responses: {
      201: { description: 'The memory.', schema: zAdded },
      200: { description: 'Nothing was stored: the text was handed out by this daemon before.', schema: zAdded },
      ...refused,
    },
    async handle({ body, dispatch }) {
      const loop = recognise(deps, body.content, 'add');
      if (loop !== null) {
        const known = (): Answer => value({ ...loop.known, recognised: loop.loop.kind }, 200);
        await dispatch(recalled, RECALL_STREAM_ID, { type: 'RecogniseLoops', loops: [loop.loop] }, known);
        return known();
      }
      const id = deps.ids.uuid();
      const draft = { id, content: body.content, tags: body.tags ?? [], meta: body.metadata ?? {} };
      const kept = memoryBody(deps, draft, {
        ...(body.project_id === undefined ? {} : { project_id: body.project_id }),
        session_id: body.session_id ?? null,
        waypoints: nearestMemories(deps, body.content),
      });
      const { sector, created_at } = kept;
      const weight = SECTOR_TRAITS[sector].weight;
      const answer = (): Answer =>
        value({ id, sector, tags: draft.tags, weight, created_at: seconds(created_at) }, 201);
      await dispatch(memory, id, { type: 'KeepMemory', how: 'MemoryAdded', body: kept }, answer);
      return answer();
    },
  });
}

/** Links for a new memory: those it is nearest to. */
export function nearestMemories(deps: Dependencies, content: string, except?: string) {
  const query = { text: content, kind: 'memory', k: WAYPOINTS_LAID_MAX + 1, min: WAYPOINT_COSINE_MIN } as const;
  return nearestTexts(deps.memory.index(), query)
    .filter(({ key }) => key !== except)
    .slice(0, WAYPOINTS_LAID_MAX)
    .map(({ key, similarity }) => ({ dst_id: key, weight: Math.min(1, Math.max(0, similarity)) }));
}

function pinRoutes(deps: Dependencies): readonly RouteSpec[] {
  const known = (id: string): boolean => memoryRow(deps.views, id, 0) !== undefined;
  const set = (path: string, summary: string, type: 'PinMemory' | 'UnpinMemory'): RouteSpec =>
    route({
      ...common,
      method: 'POST',
      path,
      summary,
      body: zNamed,
      responses: { 200: { description: 'Done, or why not.', schema: zDone }, ...refused },
      handle: ({ body, dispatch }) =>
        known(body.id) ? doneOrMissing(dispatch(memory, body.id, { type }, () => value({ ok: true }))) : missing(),
    });
  return [
    set('/memory/pin', 'Pins a memory: it neither fades nor is purged.', 'PinMemory'),
    set('/memory/unpin', 'Removes the pin.', 'UnpinMemory'),
  ];
}

async function doneOrMissing(work: Promise<unknown>): Promise<Answer> {
  try {
    await work;
    return value({ ok: true });
  } catch (error) {
    if (error instanceof Refused && error.refusal.kind === 'not_found') return missing();
    throw error;
  }
}

function missing(): Answer {
  return value({ ok: false, error: MEMORY_NOT_FOUND });
}

function deleteRoute(deps: Dependencies): RouteSpec {
  return route({
    ...common,
    method: 'POST',
    path: '/memory/delete',
    summary: 'Deletes a memory (or a fact, or a drawer) for good: its text leaves views, index and log.',
    body: zNamed,
    responses: { 200: { description: 'Done, or why not.', schema: zDone }, ...refused },
    handle: ({ body, origin }) =>
      deps.memory.inTurn(async () => ((await forget(deps, body.id, origin)) ? value({ ok: true }) : missing())),
  });
}

/** A reflection on a memory goes with it: it may repeat its words. */
async function forget(deps: Dependencies, id: string, origin: Call['origin']): Promise<boolean> {
  if (memoryRow(deps.views, id, 0) === undefined) {
    return (await forgetFact(deps, id, origin)) || forgetDrawer(deps, id, origin);
  }
  const leaving = [id, ...reflectionsOn(deps.views, id)].map((each) => ({
    id: each,
    positions: [...textPositions(deps, `memory-${each}`), ...answersOnLoops(deps, each)],
  }));
  const parts = leaving.map(({ id: each, positions }) =>
    batchCommand(memory, each, { type: 'DeleteMemory', positions }),
  );
  const events = await deps.dispatcher.dispatchBatch(parts, origin);
  if (events.length === 0) return false;
  await eraseTexts(
    deps,
    leaving.flatMap(({ positions }) => positions),
  );
  return true;
}

async function forgetDrawer(deps: Dependencies, id: string, origin: Call['origin']): Promise<boolean> {
  const row = drawerRow(deps.views, id);
  const event = row === undefined ? undefined : deps.log.at(row.position);
  if (row === undefined || event === undefined) return false;
  const positions = [...recordPositions(deps, event.stream, id), ...answersOnLoops(deps, id)];
  const command = { type: 'DeleteDrawer', id, text_ids: textsWith(deps.views, id), positions } as const;
  const events = await deps.dispatcher.dispatchBatch([batchCommand(drawer, idOf(event.stream), command)], origin);
  if (events.length === 0) return false;
  await eraseTexts(deps, positions);
  return true;
}

async function forgetFact(deps: Dependencies, id: string, origin: Call['origin']): Promise<boolean> {
  const row = factRow(deps.views, id);
  if (row === undefined) return false;
  const positions = [...recordPositions(deps, row.stream, id), ...answersOnLoops(deps, id)];
  const events = await deps.dispatcher.dispatchBatch(
    [batchCommand(fact, idOf(row.stream), { type: 'DeleteFact', id, positions })],
    origin,
  );
  await eraseTexts(deps, positions);
  return events.length > 0;
}

/** Where a stream's events hold the words of a fact or a drawer, and the recorded answers that repeat them. */
function recordPositions(deps: Dependencies, stream: string, id: string): readonly number[] {
  const positions: number[] = [];
  for (const event of deps.log.readStream(stream)) {
    if (event.erased === true || !WITH_WORDS.has(event.type)) continue;
    if ((event.data as { readonly id: string }).id === id) positions.push(event.position, ...answerTo(deps, event));
  }
  return positions;
}

const WITH_WORDS: ReadonlySet<string> = new Set(['FactAsserted', 'FactSealed', 'DrawerStored', 'DrawerSealed']);
