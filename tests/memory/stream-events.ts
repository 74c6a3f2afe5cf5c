/** Events of the memory as tests of its folds write them: a test names only the fields it is about. */
import type { ChunkedText, Place } from '../../src/events/memory/drawers.ts';
import type { MemoryBody, RecallEvent } from '../../src/events/memory/events.ts';
import type { FactBody } from '../../src/events/memory/facts.ts';
import type { StreamEvent } from '../../src/testing/given-projection.ts';

export function memoryBody(of: Partial<MemoryBody> = {}): MemoryBody {
  return {
    ...{ content: 'words', tags: [], meta: {}, sealed: null, content_key: 'key', line_key: 'line', sector: 'semantic' },
    ...{ secondary: [], salience: 1, decay_lambda: 0, created_at: 1, updated_at: 1, last_seen_at: 1, version: 1 },
    ...{ user_id: 'owner', project_id: null, session_id: null, pinned: false, from: [], waypoints: [] },
    ...of,
  };
}

export function placeBody(of: Partial<Place> = {}): Place {
  return {
    ...{ id: 'd', text_id: 't', index: 0, start: 0, kind: 'new', of: null, content: 'words', source: 's' },
    ...{ sealed: null, content_key: 'key', line_key: 'line', source_key: 's', wing: 'w', room: 'semantic' },
    ...of,
  };
}

export function factBody(of: Partial<FactBody> = {}): FactBody {
  return {
    ...{ id: 'f', subject: 'a', predicate: 'b', object: 'c', sealed: null, object_key: 'key', line_key: 'line' },
    ...{ valid_from: 1, confidence: 1 },
    ...of,
  };
}

export const added = (id: string, of: Partial<MemoryBody> = {}): StreamEvent => ({
  ...{ stream: `memory-${id}`, type: 'MemoryAdded', data: memoryBody(of) },
});

/** An event of a memory that holds no text. */
export const about = (id: string, type: string, data: object = { positions: [] }): StreamEvent => ({
  ...{ stream: `memory-${id}`, type, data },
});

export const stored = (id: string, of: Partial<Place> = {}): StreamEvent => ({
  ...{ stream: 'drawer-s', type: 'DrawerStored', data: placeBody({ id, ...of }) },
});

export const chunked = (text_id: string, of: Partial<ChunkedText> = {}): StreamEvent => ({
  ...{ stream: 'drawer-s', type: 'TextChunked' },
  data: { text_id, text_key: `key of ${text_id}`, chunks: 1, created: 1, exact: 0, near: 0, blank: 0, ...of },
});

export const asserted = (id: string, of: Partial<FactBody> = {}): StreamEvent => ({
  ...{ stream: 'fact-k', type: 'FactAsserted', data: factBody({ id, ...of }) },
});

export function recalled(
  via: 'context' | 'query',
  of: Partial<Extract<RecallEvent, { type: 'MemoriesRecalled' }>['data']>,
): StreamEvent {
  const ids = { memory_ids: [], drawer_ids: [], fact_ids: [], ...of };
  return { stream: 'recall-store', type: 'MemoriesRecalled', data: { ...ids, via } };
}

export const loop = (store: 'memory' | 'drawer' | 'fact', id: string, kind: 'exact' | 'near'): StreamEvent => ({
  ...{ stream: 'recall-store', type: 'RecallLoopRecognised' },
  data: { store, id, kind, similarity: kind === 'exact' ? 1 : 0.9, via: 'add' },
});
