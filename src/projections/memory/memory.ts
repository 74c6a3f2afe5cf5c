/**
 * Memories, their waypoints, facts and drawers as tables.
 *
 * - The events of a removed entry are erased, so a rebuild does not see them: a removed row must leave the same tables
 *   as a row that never existed. Therefore recalls, reflections and loops have tables of their own, and queries choose
 *   the waypoints that count.
 * - A sealed row holds ciphertext and is not in the text index of this database.
 */
import type { ErasureEvent } from '../../events/erasure.ts';
import type { ChunkedText, DrawerEvent, Place } from '../../events/memory/drawers.ts';
import type { Keeping, MemoryBody, MemoryEvent, MemorySettingsEvent, RecallEvent } from '../../events/memory/events.ts';
import type { FactBody, FactEvent } from '../../events/memory/facts.ts';
import { handlers, idOf, type Projection, type Seen } from '../projection.ts';
import { clearRemoved, indexText, RECALL_DDL, RECALL_TABLES, unindexAll, unindexLater } from '../recall/recall.ts';
import { insertRow, updateRows } from '../rows.ts';
import type { Views } from '../views.ts';
import { keyOfPart, textOf } from './drawers.ts';
import { markShown, remarkShown, unmarkShown } from './recalled.ts';
import { MEMORY_DDL, MEMORY_TABLES } from './tables.ts';

type Data<Event, Type> = Extract<Event, { type: Type }> extends { data: infer Of } ? Of : never;

export const memory: Projection = {
  name: 'memory',
  version: 9,
  tables: [...MEMORY_TABLES, ...RECALL_TABLES],
  create: `${MEMORY_DDL}\n${RECALL_DDL}`,
  complete: clearRemoved,
  on: {
    ...handlers<MemoryEvent>({
      MemoryAdded: (views, event) => keep(views, event, 'MemoryAdded'),
      MemoryImported: (views, event) => keep(views, event, 'MemoryImported'),
      MemoriesMerged: (views, event) => keep(views, event, 'MemoriesMerged'),
      ReflectionFormed: (views, event) => keep(views, event, 'ReflectionFormed'),
      MemorySealed: (views, event) => {
        unindexLater(views, idOf(event.stream));
        keep(views, event, event.data.made_by);
        remarkShown(views, idOf(event.stream));
        noteErasures(views, event.data.positions);
      },
      MemoryPinned: (views, event) => pin(views, event, 1),
      MemoryUnpinned: (views, event) => pin(views, event, 0),
      WaypointsLaid: (views, event) => link(views, idOf(event.stream), event.data.links, event.at),
      TunnelDug: tunnel,
      MemoryDecayed: leave,
      MemoryAbsorbed: (views, event) => {
        inheritReflections(views, { from: idOf(event.stream), into: event.data.into });
        leave(views, event);
      },
      MemoryDeleted: leave,
    }),
    ...handlers<FactEvent>({
      FactAsserted: (views, event) => assertFact(views, event, { recorded_at: event.at, valid_to: null }),
      FactClosed: endFact,
      FactReopened: endFact,
      FactDeleted: (views, event) => {
        const { id, positions } = event.data;
        views.run('DELETE FROM memory_facts WHERE id = ?', id);
        forget(views, id);
        noteErasures(views, positions);
      },
      FactSealed: (views, event) => {
        assertFact(views, event, event.data);
        remarkShown(views, event.data.id);
        noteErasures(views, event.data.positions);
      },
    }),
    ...handlers<DrawerEvent>({
      TextChunked: (views, event) => storeText(views, event, 0),
      TextRepeated: (views, event) =>
        views.run(
          'UPDATE memory_texts SET repeated = repeated + ? WHERE stream = ? AND text_key = ?',
          event.data.chunks,
          event.stream,
          event.data.text_key,
        ),
      TextSealed: (views, event) => {
        views.run('DELETE FROM memory_texts WHERE text_id = ?', event.data.text_id);
        storeText(views, event, event.data.repeated);
        noteErasures(views, event.data.positions);
      },
      DrawerStored: (views, event) => store(views, event, { position: event.position, created_at: event.at }),
      DrawerSealed: (views, event) => {
        store(views, event, event.data);
        remarkShown(views, event.data.id);
      },
      DrawerDeleted: (views, event) => {
        const { id, text_ids, positions } = event.data;
        for (const text_id of text_ids) {
          updateRows(views, 'memory_texts', { where: { text_id }, set: { text_key: keyOfPart(text_id) } });
        }
        views.run(`DELETE FROM memory_drawers WHERE id = ? OR (of_id = ? AND kind = 'exact')`, id, id);
        forget(views, id);
        noteErasures(views, positions);
      },
    }),
    ...handlers<RecallEvent>({
      MemoriesRecalled: (views, event) => {
        const { memory_ids, drawer_ids, fact_ids } = event.data;
        for (const id of [...memory_ids, ...drawer_ids, ...fact_ids]) {
          views.run(
            `INSERT INTO memory_recalls VALUES (?, ?, ?, 1) ON CONFLICT (id) DO UPDATE SET
               recalled_at = excluded.recalled_at, shown_at = coalesce(excluded.shown_at, shown_at), recalls = recalls + 1`,
            id,
            event.at,
            event.data.via === 'context' ? event.at : null,
          );
          if (event.data.via === 'context') markShown(views, id);
        }
      },
      RecallLoopRecognised: (views, event) => {
        const { store: place, id, kind, similarity, via } = event.data;
        const row = { position: event.position, store: place, id, kind, similarity, via, at: event.at };
        insertRow(views, 'memory_loops', row);
      },
    }),
    ...handlers<MemorySettingsEvent>({
      MemoryEncryptionEnabled: (views, event) => keepEncryption(views, event.data),
      MemoryKeyMoved: (views, event) => {
        const { positions, ...encryption } = event.data;
        keepEncryption(views, encryption);
        noteErasures(views, positions);
      },
    }),
    ...handlers<ErasureEvent>({
      PayloadErased: (views, event) => {
        for (const { position } of event.data.erased) {
          views.run('DELETE FROM memory_erasures WHERE position = ?', position);
        }
      },
    }),
  },
};

function keep(views: Views, event: Seen<MemoryBody>, madeBy: Keeping): void {
  const id = idOf(event.stream);
  const body = event.data;
  views.run('DELETE FROM memories WHERE id = ?', id);
  const { content, sealed, content_key, line_key, sector, salience, decay_lambda } = body;
  const { created_at, updated_at, last_seen_at, version, user_id, project_id, session_id } = body;
  insertRow(views, 'memories', {
    id,
    content,
    sealed,
    content_key,
    line_key,
    sector,
    salience,
    decay_lambda,
    created_at,
    updated_at,
    last_seen_at,
    version,
    user_id,
    project_id,
    session_id,
    tags: JSON.stringify(body.tags),
    meta: JSON.stringify(body.meta),
    secondary: JSON.stringify(body.secondary),
    pinned: body.pinned ? 1 : 0,
    from_ids: JSON.stringify(body.from),
    made_by: madeBy,
  });
  if (madeBy === 'ReflectionFormed') {
    for (const of of body.from) views.run('INSERT OR IGNORE INTO memory_reflections VALUES (?, ?, 0)', of, id);
  }
  link(views, id, body.waypoints, created_at);
  if (sealed === null) {
    const wing = project_id ?? 'global';
    indexText(views, { key: id, kind: 'memory', text: content, at: created_at, source: null, wing });
  }
}

function pin(views: Views, event: Seen, pinned: 0 | 1): void {
  views.run('UPDATE memories SET pinned = ? WHERE id = ?', pinned, idOf(event.stream));
}

/**
 * Stores the waypoints in both directions. Of the times at which a waypoint is laid the last one counts, in any order:
 * sealing repeats the waypoints of an erased event, with the time of the memory.
 */
function link(views: Views, id: string, links: MemoryBody['waypoints'], at: number): void {
  for (const { dst_id, weight } of links) {
    for (const [from, to] of [[id, dst_id] as const, [dst_id, id] as const]) {
      views.run(
        `INSERT INTO memory_waypoints VALUES (?, ?, 'near', ?, ?, ?)
         ON CONFLICT (src_id, dst_id, kind) DO UPDATE SET weight = excluded.weight,
           created_at = max(created_at, excluded.created_at), updated_at = max(updated_at, excluded.updated_at)`,
        from,
        to,
        weight,
        at,
        at,
      );
    }
  }
}

function tunnel(views: Views, event: Seen<Data<MemoryEvent, 'TunnelDug'>>): void {
  views.run(
    `INSERT INTO memory_waypoints VALUES (?, ?, 'tunnel', ?, ?, ?)
     ON CONFLICT (src_id, dst_id, kind) DO UPDATE SET weight = excluded.weight, updated_at = excluded.updated_at`,
    idOf(event.stream),
    event.data.dst_id,
    event.data.weight,
    event.at,
    event.at,
  );
}

function leave(views: Views, event: Seen<{ readonly positions: readonly number[] }>): void {
  const id = idOf(event.stream);
  views.run('DELETE FROM memories WHERE id = ?', id);
  views.run('DELETE FROM memory_reflections WHERE memory_id = ? OR reflection_id = ?', id, id);
  forget(views, id);
  noteErasures(views, event.data.positions);
}

/** A reflection may repeat words that another memory holds now. A rebuild may not see that memory, but its merge. */
function inheritReflections(views: Views, { from, into }: { readonly from: string; readonly into: string }): void {
  const sql = `INSERT OR IGNORE INTO memory_reflections
    SELECT ?, reflection_id, 1 FROM memory_reflections WHERE memory_id = ?`;
  views.run(sql, into, from);
}

function forget(views: Views, id: string): void {
  views.run('DELETE FROM memory_waypoints WHERE src_id = ? OR dst_id = ?', id, id);
  views.run('DELETE FROM memory_recalls WHERE id = ?', id);
  unmarkShown(views, id);
  views.run('DELETE FROM memory_loops WHERE id = ?', id);
  unindexLater(views, id);
}

/** The index of encrypted memories is in memory. Removing each text when it is sealed would take milliseconds. */
function keepEncryption(views: Views, encryption: Data<MemorySettingsEvent, 'MemoryEncryptionEnabled'>): void {
  views.run('INSERT OR REPLACE INTO memory_encryption VALUES (1, ?)', JSON.stringify(encryption));
  unindexAll(views);
}

/** Marks positions as due until the log records their erasure; after a crash the next start erases them. */
function noteErasures(views: Views, positions: readonly number[]): void {
  for (const position of positions) views.run('INSERT OR IGNORE INTO memory_erasures VALUES (?)', position);
}

function assertFact(
  views: Views,
  event: Seen<FactBody>,
  { recorded_at, valid_to }: { readonly recorded_at: number; readonly valid_to: number | null },
): void {
  const { id, subject, predicate, object, sealed, line_key, valid_from, confidence } = event.data;
  views.run('DELETE FROM memory_facts WHERE id = ?', id);
  insertRow(views, 'memory_facts', {
    id,
    stream: event.stream,
    subject,
    predicate,
    object,
    sealed,
    line_key,
    valid_from,
    valid_to,
    confidence,
    recorded_at,
    text_position: event.position,
  });
}

function endFact(views: Views, { data }: Seen<{ readonly id: string; readonly valid_to: number | null }>): void {
  views.run('UPDATE memory_facts SET valid_to = ? WHERE id = ?', data.valid_to, data.id);
}

/** The same text may have been stored under its new key before the plain one is sealed: the first one keeps the key. */
function storeText(views: Views, event: Seen<ChunkedText>, repeated: number): void {
  const { text_id, chunks, created, exact, near, blank } = event.data;
  const { stream } = event;
  const isKnown = textOf(views, stream, event.data.text_key) !== undefined;
  const text_key = isKnown ? keyOfPart(text_id) : event.data.text_key;
  insertRow(views, 'memory_texts', { text_id, stream, text_key, chunks, created, exact, near, blank, repeated });
}

function store(
  views: Views,
  event: Seen<Place>,
  { position, created_at }: { readonly position: number; readonly created_at: number },
): void {
  const { id, sealed, kind, content, source, wing, room } = event.data;
  if (sealed !== null) {
    unindexLater(views, id);
    views.run('DELETE FROM memory_drawers WHERE id = ?', id);
  }
  const { text_id, index, start, of, content_key, line_key, source_key } = event.data;
  insertRow(views, 'memory_drawers', {
    id,
    text_id,
    place: index,
    start,
    kind,
    of_id: of,
    content,
    source,
    sealed,
    content_key,
    line_key,
    source_key,
    wing,
    room,
    created_at,
    position,
    text_position: event.position,
  });
  if (kind === 'new' && sealed === null) {
    indexText(views, { key: id, kind: 'drawer', text: content, at: created_at, source, wing });
  }
}
