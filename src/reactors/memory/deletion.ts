/** Deletes a memory, a fact or a drawer: commits the deletion, then erases the text from the log and the views. */
import { memory } from '../../commands/memory/decide.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { fact } from '../../commands/memory/fact.ts';
import { drawerRow, textsWith } from '../../projections/memory/drawers.ts';
import { factRow } from '../../projections/memory/facts.ts';
import { memoryRow, reflectionsOn } from '../../projections/memory/memories.ts';
import { idOf } from '../../projections/projection.ts';
import { type BatchCommand, batchCommand, type CommandHandler, type Origin } from '../../streams/command-handler.ts';
import { type ErasureParts, eraseDecided, memoryPositions, recordPositions } from './erasure.ts';

export interface DeletionParts extends ErasureParts {
  readonly commandHandler: CommandHandler;
}

/** Returns whether the entry existed. Runs in an exclusive section, because the views must not change meanwhile. */
export async function deleteEntry(parts: DeletionParts, id: string, origin: Origin): Promise<boolean> {
  const commands = memoryDeletion(parts, id) ?? factDeletion(parts, id) ?? drawerDeletion(parts, id) ?? [];
  const events = await parts.commandHandler.dispatchBatch(commands, origin);
  await eraseDecided(parts, events);
  return events.length > 0;
}

/** Reflections on a memory are deleted with it, because they may repeat its words. */
function memoryDeletion(parts: DeletionParts, id: string): readonly BatchCommand[] | undefined {
  const { views } = parts;
  if (memoryRow(views, id, 0) === undefined) return undefined;
  return [id, ...reflectionsOn(views, id)].map((each) =>
    batchCommand(memory, each, { type: 'DeleteMemory', positions: memoryPositions(parts, each) }),
  );
}

function factDeletion(parts: DeletionParts, id: string): readonly BatchCommand[] | undefined {
  const row = factRow(parts.views, id);
  if (row === undefined) return undefined;
  const positions = recordPositions(parts, row);
  return [batchCommand(fact, idOf(row.stream), { type: 'DeleteFact', id, positions })];
}

function drawerDeletion(parts: DeletionParts, id: string): readonly BatchCommand[] | undefined {
  const row = drawerRow(parts.views, id);
  const stream = row === undefined ? undefined : parts.log.at(row.position)?.stream;
  if (stream === undefined) return undefined;
  const positions = recordPositions(parts, { stream, id });
  const command = { type: 'DeleteDrawer', id, text_ids: textsWith(parts.views, id), positions } as const;
  return [batchCommand(drawer, idOf(stream), command)];
}
