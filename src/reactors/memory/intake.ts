/**
 * Texts on their way into drawers: each is cut, compared with what is kept, and appended; the next one is looked at
 * while it is synced. So texts that come together share a sync.
 *
 * - What is on its way is compared with like what is kept: of two texts with the same words only one makes the drawer.
 * - A text that repeats words which are only on their way waits for them and is looked at again: nothing in the log
 *   points at words that might never be in it.
 */
import { type Chunk, chunksOf } from '../../commands/memory/chunk.ts';
import { classify } from '../../commands/memory/classify.ts';
import { drawer as decider } from '../../commands/memory/drawer.ts';
import { quoted, VERBATIM_CHARACTERS } from '../../commands/memory/lines.ts';
import type { Loop } from '../../commands/memory/recalled.ts';
import type { Config } from '../../config.ts';
import type { Place } from '../../events/memory/drawers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { IdGenerator } from '../../ports/id-generator.ts';
import { drawerWith, newestDrawers, textOf } from '../../projections/memory/drawers.ts';
import { analyseText } from '../../projections/recall/text-analysis.ts';
import { cosine } from '../../projections/recall/vector.ts';
import type { Views } from '../../projections/views.ts';
import { currentWing } from '../../queries/memory/memory-context.ts';
import { drawerWords, kept } from '../../queries/memory/texts.ts';
import type { EventLog } from '../../storage/event-log.ts';
import type { Dispatcher, Origin } from '../../streams/dispatch.ts';
import type { Projector } from '../../streams/project.ts';
import { dispatchTogether, freePart } from '../../streams/together.ts';
import type { MemoryKeeper } from './memory-store.ts';

/** What this module needs of the daemon. */
interface Dependencies {
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: IdGenerator;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: Dispatcher;
  readonly memory: MemoryKeeper;
}

const SOURCE_DEFAULT = 'api';
/** A chunk this near to one of so many recent drawers is no drawer of its own. */
const NEAR_COSINE_MIN = 0.85;
const RECENT_DRAWERS = 20;

export interface Offered {
  readonly content: string;
  readonly source?: string | null | undefined;
  /** What of ours the text repeats. */
  readonly loop: Loop | undefined;
}

export interface Taken {
  readonly text_id: string;
  readonly places: readonly Place[];
}

export interface Intake {
  /** Stores a text. While it does, nobody else may delete, seal or move drawers. */
  take(offered: Offered, origin: Origin): Promise<Taken>;
}

/** A text that was looked at. */
interface Looked extends Taken {
  /** Of the stream of its source. */
  readonly source_key: string;
  readonly text_key: string;
  /** The very text is kept under this source already. */
  readonly repeated: boolean;
  /** Its new drawers, by the mark of their words. */
  readonly made: ReadonlyMap<string, Recent>;
}

/** A text that was appended and is not kept yet. */
interface Underway {
  readonly looked: Looked;
  /** When it is kept, or is not; never rejects. */
  readonly ended: Promise<unknown>;
}

interface Recent {
  readonly id: string;
  readonly vector: Float32Array;
}

interface TextParts {
  readonly text_id: string;
  readonly source: string;
  readonly source_key: string;
  readonly room: string;
  readonly loop: Loop | undefined;
}

export function createIntake(deps: Dependencies): Intake {
  /** In the order of the log. */
  const underway = new Set<Underway>();
  /** The newest drawers that are kept, oldest first, as of the turn when they were read. */
  let newest = { turns: -1, recent: [] as readonly Recent[] };

  function look({ content, source: named, loop }: Offered): Looked {
    const source = named === undefined || named === null || named.trim() === '' ? SOURCE_DEFAULT : named;
    const { exact } = deps.memory.marks();
    const source_key = exact(source);
    const text_key = exact(content);
    const known = textOf(deps.views, `${decider.category}-${source_key}`, text_key);
    const text_id = known?.text_id ?? deps.ids.uuid();
    const made = new Map<string, Recent>();
    const text: TextParts = { text_id, source, source_key, room: classify(content).sector, loop };
    const places = placesOf(chunksOf(content), text, made);
    const looked = { text_id, source_key, text_key };
    if (known === undefined) return { ...looked, repeated: false, made, places };
    return { ...looked, repeated: true, made: new Map(), places: places.map(asRepeated) };
  }

  function placesOf(chunks: readonly Chunk[], text: TextParts, made: Map<string, Recent>): readonly Place[] {
    const { exact } = deps.memory.marks();
    const recent = [...recentDrawers()];
    return chunks.map(({ content, start }, index) => {
      const content_key = exact(content);
      const same = made.get(content_key)?.id ?? drawerWith(deps.views, content_key) ?? madeUnderway(content_key);
      const kind = kindOf(content, { same, recent, loop: text.loop });
      const id = deps.ids.uuid();
      if (kind.kind === 'new') {
        const drawer = { id, vector: kind.vector };
        made.set(content_key, drawer);
        recent.push(drawer);
        if (recent.length > RECENT_DRAWERS) recent.shift();
      }
      return placeOf(deps, text, { id, index, start, content, content_key, kind: kind.kind, of: kind.of });
    });
  }

  /** The newest drawers, oldest first; those on their way are the newest. */
  function recentDrawers(): readonly Recent[] {
    if (newest.turns !== deps.memory.turns()) newest = { turns: deps.memory.turns(), recent: readRecent() };
    const coming = [...underway].flatMap(({ looked }) => [...looked.made.values()]);
    return [...newest.recent, ...coming].slice(-RECENT_DRAWERS);
  }

  function readRecent(): readonly Recent[] {
    const vault = deps.memory.vault();
    return newestDrawers(deps.views, RECENT_DRAWERS)
      .toReversed()
      .map((row) => ({ id: row.id, vector: analyseText(drawerWords(vault, row).content).vector }));
  }

  function madeUnderway(content_key: string): string | undefined {
    for (const { looked } of underway) {
      const drawer = looked.made.get(content_key);
      if (drawer !== undefined) return drawer.id;
    }
    return undefined;
  }

  /** A text on its way whose words this one repeats, or which is this one. */
  function restsOn({ source_key, text_key, repeated, places }: Looked): Underway | undefined {
    if (underway.size === 0 || repeated) return undefined;
    const repeats = new Set(places.map(({ of }) => of));
    return [...underway].find(({ looked }) => {
      if (looked.text_key === text_key && looked.source_key === source_key) return true;
      return looked.places.some(({ id }) => repeats.has(id));
    });
  }

  async function append(looked: Looked, origin: Origin): Promise<void> {
    const { source_key, text_id, text_key, places, repeated } = looked;
    const command = { type: 'ChunkText', text_id, text_key, places, repeated } as const;
    const work = dispatchTogether(deps, [freePart(decider, source_key, command)], origin);
    const mine = { looked, ended: work.catch(() => undefined) };
    underway.add(mine);
    try {
      await work;
      newest = { ...newest, recent: [...newest.recent, ...looked.made.values()].slice(-RECENT_DRAWERS) };
    } finally {
      underway.delete(mine);
    }
  }

  return {
    async take(offered, origin) {
      for (;;) {
        const looked = look(offered);
        const other = restsOn(looked);
        if (other !== undefined) await other.ended;
        else {
          await append(looked, origin);
          return looked;
        }
      }
    },
  };
}

/** Of a text that is kept already no chunk is new. */
function asRepeated(place: Place): Place {
  return place.kind === 'new' ? { ...place, kind: 'exact' } : place;
}

interface Resemblance {
  /** The drawer with these very words. */
  readonly same: string | undefined;
  readonly recent: readonly Recent[];
  readonly loop: Loop | undefined;
}

function kindOf(content: string, { same, recent, loop }: Resemblance) {
  const nothing = new Float32Array();
  if (content.trim() === '') return { kind: 'blank', of: null, vector: nothing } as const;
  if (same !== undefined) return { kind: 'exact', of: same, vector: nothing } as const;
  if (loop !== undefined) return { kind: 'near', of: loop.id, vector: nothing } as const;
  const { vector } = analyseText(content);
  const near = recent.find((each) => cosine(each.vector, vector) >= NEAR_COSINE_MIN);
  if (near !== undefined) return { kind: 'near', of: near.id, vector } as const;
  return { kind: 'new', of: null, vector } as const;
}

function placeOf(
  deps: Dependencies,
  { text_id, source, source_key, room }: TextParts,
  place: Pick<Place, 'id' | 'index' | 'start' | 'content' | 'content_key' | 'kind' | 'of'>,
): Place {
  const { content, id } = place;
  const words = { content: place.kind === 'exact' ? '' : content, source };
  return {
    ...place,
    ...kept(deps.memory.vault(), words, { id, empty: { content: '', source: '' } }),
    line_key: deps.memory.marks().fingerprint(quoted(content, VERBATIM_CHARACTERS)),
    ...{ text_id, source_key, room },
    wing: currentWing(deps),
  };
}
