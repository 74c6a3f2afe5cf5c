/** Commands of memories, facts and drawers, and of their settings. */
import fc from 'fast-check';
import { memory } from '../../commands/memory/decide.ts';
import { drawer } from '../../commands/memory/drawer.ts';
import { type FactState, fact } from '../../commands/memory/fact.ts';
import { RECALL_STREAM_ID, recalled } from '../../commands/memory/recalled.ts';
import { MEMORY_SETTINGS_ID, memorySettings } from '../../commands/memory/settings.ts';
import { drawerEvents } from '../../events/memory/drawers.ts';
import { memorySettingsEvents, recallEvents, zKeeping, zMemoryBody } from '../../events/memory/events.ts';
import { arbitraryOf, smallText } from '../schema-values.ts';
import { type CommandSource, command, few, fresh, only, positions, times, type Wish } from './parts.ts';

const body = arbitraryOf(zMemoryBody).map((made) => ({ ...made, sealed: null, waypoints: [], from: [] }));
const factBody = fc.record({
  id: fresh,
  subject: only('sky'),
  predicate: only('is'),
  object: smallText,
  sealed: fc.constant(null),
  object_key: few('o'),
  line_key: few('l'),
  valid_from: fc.nat(5),
  confidence: fc.constantFrom(0, 0.5, 1),
});
const place = fc
  .tuple(arbitraryOf(drawerEvents.DrawerStored.data), fresh, fc.constantFrom('new', 'blank'))
  .map(([made, id, kind]) => ({ ...made, id, kind, of: null, sealed: null }));

/** Each command has a new text, and drawers at positions that no other drawer has. */
const sealing = fc
  .tuple(arbitraryOf(drawerEvents.TextSealed.data), fresh, fc.array(place, { maxLength: 2 }))
  .map(([{ positions: _positions, ...text }, text_id, places]) => ({
    type: 'SealText',
    text: { ...text, text_id, text_key: text_id },
    places: places.map((each, index) => ({ ...each, text_id, index, ...momentOf(each.id) })),
    positions: [],
  }));

/** Greater than any position of a generated history. */
const POSITION_MIN = 1_000_000_000;

/** Different ids get different positions. */
function momentOf(id: string): { readonly created_at: number; readonly position: number } {
  return { created_at: 1, position: POSITION_MIN + Number.parseInt(id.slice(-11), 16) };
}

export const memoryCommands = {
  drawer: {
    decider: drawer,
    ids: few('source'),
    command: fc.oneof(
      fc
        .tuple(fresh, fc.array(place, { minLength: 1, maxLength: 3 }), fc.boolean())
        // Each command has a new text: the caller decides whether it is repeated.
        .map(([text_id, places, repeated]) => ({
          type: 'ChunkText',
          text_id,
          text_key: repeated ? 'key1' : text_id,
          places: places.map((each, index) => ({ ...each, text_id, index })),
          repeated,
        })),
      command('ContinueText', { places: fc.array(place, { minLength: 1, maxLength: 3 }) }),
      sealing,
      command('DeleteDrawer', { id: few('drawer'), text_ids: fc.constant([]), positions }),
    ),
  },
  fact: {
    decider: fact,
    ids: few('key'),
    fitted: (command: Wish, state: FactState) =>
      command.type === 'DeleteFact' ? ({ ...command, id: state.at(-1)?.id ?? 'none' } as Wish) : command,
    command: fc.oneof(
      times(5, 'AssertFact', { fact: factBody, dated: fc.boolean() }),
      command('DeleteFact', { positions }),
      command('SealFact', { fact: factBody, valid_to: fc.constantFrom(null, 9), recorded_at: fc.nat(9), positions }),
    ),
  },
  memory: {
    decider: memory,
    ids: few('m'),
    command: fc.oneof(
      times(4, 'KeepMemory', { how: arbitraryOf(zKeeping), body }),
      command('PinMemory'),
      command('UnpinMemory'),
      command('LayWaypoints', {
        links: fc.array(fc.record({ dst_id: few('m'), weight: fc.constantFrom(0.1, 1) }), { maxLength: 2 }),
      }),
      command('DigTunnels', {
        tunnels: fc.array(fc.record({ dst_id: few('m'), weight: fc.constant(1), standing: fc.constantFrom(null, 1) }), {
          maxLength: 2,
        }),
        automatic: fc.boolean(),
      }),
      command('SealMemory', { body, made_by: arbitraryOf(zKeeping), positions }),
      command('DecayMemory', { effective_salience: fc.constant(0.01), positions }),
      command('AbsorbMemory', { into: few('m'), positions }),
      command('DeleteMemory', { positions }),
    ),
  },
  memorySettings: {
    decider: memorySettings,
    ids: only(MEMORY_SETTINGS_ID),
    command: fc.oneof(
      command('EnableMemoryEncryption', { encryption: arbitraryOf(memorySettingsEvents.MemoryEncryptionEnabled.data) }),
      command('MoveMemoryKey', {
        encryption: arbitraryOf(memorySettingsEvents.MemoryEncryptionEnabled.data),
        positions,
      }),
      command('SettleMemoryEncryption'),
    ),
  },
  recalled: {
    decider: recalled,
    ids: only(RECALL_STREAM_ID),
    command: fc.oneof(
      command('RecordRecall', { recalled: arbitraryOf(recallEvents.MemoriesRecalled.data) }),
      command('RecogniseLoops', {
        loops: fc.array(arbitraryOf(recallEvents.RecallLoopRecognised.data), { maxLength: 2 }),
      }),
    ),
  },
} satisfies Readonly<Record<string, CommandSource>>;
