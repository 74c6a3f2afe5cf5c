/** Deletes a memory, a fact or a drawer: commits the deletion, then erases the text from the log and the views. */
import type { Decider } from '../../commands/decider.ts';
import { memory } from '../../commands/memory/decide.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { fact } from '../../commands/memory/fact.ts';
import { drawerRow, textsWith } from '../../projections/memory/drawers.ts';
import { factRow } from '../../projections/memory/facts.ts';
import { memoryRow, reflectionsOn } from '../../projections/memory/memories.ts';
import { idOf } from '../../projections/projection.ts';
import {
  batchCommand,
  type CommandHandler,
  type DispatchOptions,
  sendUnlessRefused,
} from '../../streams/command-handler.ts';
import { type ErasureParts, eraseTexts, memoryPositions, recordPositions } from './erasure.ts';

export interface DeletionParts extends ErasureParts {
  readonly commandHandler: CommandHandler;
}

/** Sends the command, in whose commit the deletion becomes the answer to the request. */
type Finish<Answer> = <Command, State>(
  decider: Decider<Command, State>,
  id: string,
  command: Command,
  options: Pick<DispatchOptions<State>, 'policy' | 'isDue'>,
) => Promise<Answer>;

interface Deletion {
  /** The positions to erase. */
  readonly positions: readonly number[];
  send<Answer>(finish: Finish<Answer>): Promise<Answer>;
}

/**
 * The answer of `finish`, or null when there is no such entry. Runs in an exclusive section, because the views must not
 * change meanwhile. Throws `Refused` (not found) when another daemon has deleted it.
 */
export async function deleteEntry<Answer>(
  parts: DeletionParts,
  id: string,
  finish: Finish<Answer>,
): Promise<Answer | null> {
  const deletion = memoryDeletion(parts, id) ?? factDeletion(parts, id) ?? drawerDeletion(parts, id);
  if (deletion === undefined) return null;
  const answer = await deletion.send(finish);
  await eraseTexts(parts, deletion.positions);
  return answer;
}

/** Reflections on a memory are deleted with it, because they may repeat its words. */
function memoryDeletion(parts: DeletionParts, id: string): Deletion | undefined {
  if (memoryRow(parts.views, id, 0) === undefined) return undefined;
  const deletionOf = (each: string) => ({ type: 'DeleteMemory', positions: memoryPositions(parts, each) }) as const;
  const own = deletionOf(id);
  const reflections = reflectionsOn(parts.views, id).map((each) => ({ id: each, command: deletionOf(each) }));
  return {
    positions: [own, ...reflections.map(({ command }) => command)].flatMap(({ positions }) => positions),
    send: (finish) =>
      finish(memory, id, own, {
        policy(unit) {
          for (const { id: each, command } of reflections) sendUnlessRefused(batchCommand(memory, each, command), unit);
          return undefined;
        },
      }),
  };
}

function factDeletion(parts: DeletionParts, id: string): Deletion | undefined {
  const row = factRow(parts.views, id);
  if (row === undefined) return undefined;
  const positions = recordPositions(parts, row);
  const command = { type: 'DeleteFact', id, positions } as const;
  return { positions, send: (finish) => finish(fact, idOf(row.stream), command, {}) };
}

function drawerDeletion(parts: DeletionParts, id: string): Deletion | undefined {
  const row = drawerRow(parts.views, id);
  if (row === undefined) return undefined;
  const { stream } = parts.log.at(row.text_position)!;
  const positions = recordPositions(parts, row);
  const isDue = (): boolean => drawerRow(parts.views, id) !== undefined;
  const command = { type: 'DeleteDrawer', id, text_ids: textsWith(parts.views, id), positions } as const;
  return { positions, send: (finish) => finish(drawer, idOf(stream), command, { isDue }) };
}
