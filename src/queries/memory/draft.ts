/** The body of a memory as an event records it: classified, fingerprinted, linked, and encrypted where that is on. */
import { classify } from '../../commands/memory/classify.ts';
import { LINE_CHARACTERS, quoted } from '../../commands/memory/lines.ts';
import { type MemoryBody, SECTOR_TRAITS } from '../../events/memory/events.ts';
import type { Clock } from '../../ports/clock.ts';
import { nearestTexts, unit } from '../../projections/recall/recall.ts';
import type { Views } from '../../projections/views.ts';
import type { MemoryEncryption } from './encryption.ts';
import { textFields } from './texts.ts';

export interface DraftContext {
  readonly clock: Clock;
  readonly encryption: Pick<MemoryEncryption, 'cipher' | 'fingerprints'>;
  /** The wing of the workspace. */
  wing(): string;
}

export interface Draft {
  readonly id: string;
  readonly content: string;
  readonly tags: readonly string[];
  readonly meta: Readonly<Record<string, string>>;
}

/** Automatic waypoints lead to the nearest memories with at least this cosine. */
const WAYPOINT_COSINE_MIN = 0.65;
const WAYPOINTS_MAX = 5;

/** `overrides` replaces fields that the text and the current time determine. */
export function memoryBody(
  { clock, encryption, wing }: DraftContext,
  { id, content, tags, meta }: Draft,
  overrides: Partial<MemoryBody> = {},
): MemoryBody {
  const classified = classify(content);
  const sector = overrides.sector ?? classified.sector;
  const now = clock.now();
  const texts = { content, tags: [...tags], meta: { ...meta } };
  return {
    secondary: sector === classified.sector ? classified.secondary.map(([name, share]) => [name, share]) : [],
    salience: 1,
    decay_lambda: SECTOR_TRAITS[sector].decayPerDay,
    created_at: now,
    updated_at: now,
    last_seen_at: now,
    version: 1,
    user_id: 'owner',
    project_id: wing(),
    session_id: null,
    pinned: false,
    from: [],
    waypoints: [],
    ...overrides,
    ...textFields(encryption.cipher(), texts, { id, empty: { content: '', tags: [], meta: {} } }),
    sector,
    ...contentKeys(encryption, content),
  };
}

/** The fingerprints of a memory's text: whole, and as a context block shows it. */
export function contentKeys(
  encryption: Pick<MemoryEncryption, 'fingerprints'>,
  content: string,
): Pick<MemoryBody, 'content_key' | 'line_key'> {
  const { loose } = encryption.fingerprints();
  return { content_key: loose(content), line_key: loose(quoted(content, LINE_CHARACTERS)) };
}

/** The waypoints of a new memory to the memories nearest to its text, without the memory `except`. */
export function nearestLinks(index: Views, content: string, except?: string): MemoryBody['waypoints'] {
  const query = { text: content, kind: 'memory', k: WAYPOINTS_MAX + 1, min: WAYPOINT_COSINE_MIN } as const;
  return nearestTexts(index, query)
    .filter(({ key }) => key !== except)
    .slice(0, WAYPOINTS_MAX)
    .map(({ key, similarity }) => ({ dst_id: key, weight: unit(similarity) }));
}
