/** Events as what they mean for vectors: which entries are new, and which are gone. */
import type { VectorRef } from '../../../ports/vector-files.ts';
import { idOf } from '../../../projections/projection.ts';
import type { RecordedEvent } from '../../../storage/event-log.ts';

const KEEPING: ReadonlySet<string> = new Set([
  'MemoryAdded',
  'MemoryImported',
  'MemoriesMerged',
  'ReflectionFormed',
  'MemorySealed',
]);
const LEAVING: ReadonlySet<string> = new Set(['MemoryDecayed', 'MemoryAbsorbed', 'MemoryDeleted']);

export function writtenBy(event: RecordedEvent): readonly VectorRef[] {
  if (KEEPING.has(event.type)) return [{ kind: 'memory', key: idOf(event.stream) }];
  if (event.type !== 'DrawerStored' && event.type !== 'DrawerSealed') return [];
  const { id, kind } = event.data as { readonly id: string; readonly kind: string };
  return kind === 'new' ? [{ kind: 'drawer', key: id }] : [];
}

export function erasedBy(event: RecordedEvent): readonly VectorRef[] {
  if (LEAVING.has(event.type)) return [{ kind: 'memory', key: idOf(event.stream) }];
  if (event.type !== 'DrawerDeleted') return [];
  return [{ kind: 'drawer', key: (event.data as { readonly id: string }).id }];
}
