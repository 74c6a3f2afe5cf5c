/**
 * Events that may not be erased alone (docs/decisions/0010).
 *
 * - Some take back or replace what an earlier event of their stream says. Without its payload such an event names
 *   nothing, folds skip it, and the earlier one counts again: a connector that was disabled runs, a fact that was
 *   closed holds. So it may be erased only together with the earlier one.
 * - Some hold something until a later event of their stream. Without the payload that is free at once: a second goal
 *   takes a title. They name ids only.
 */
import type { StoredEvent } from './decode.ts';

/** The earlier events that an event overrides. */
interface Overridden {
  readonly types: readonly string[];
  /** Only those with the same value in this field. */
  readonly by?: string;
}

const connector = { types: ['ConnectorAdded', 'ConnectorEnabled'] };
const plugin = { types: ['PluginInstalled', 'PluginPolicySet'] };
const fact = { types: ['FactAsserted', 'FactSealed', 'FactClosed', 'FactReopened'], by: 'id' };
const pin = { types: ['GoalPinned'], by: 'workspace' };
const witness = { types: ['WitnessAdded'], by: 'vkey' };
const harness = { types: ['HarnessOverrideSet'], by: 'key' };

export const OVERRIDDEN: Readonly<Record<string, Overridden>> = {
  ConnectorDisabled: connector,
  ConnectorRemoved: connector,
  PluginPolicySet: plugin,
  PluginUninstalled: plugin,
  FactClosed: fact,
  FactReopened: fact,
  FactDeleted: fact,
  DrawerDeleted: { types: ['DrawerStored', 'DrawerSealed'] },
  GoalPinned: pin,
  GoalUnpinned: pin,
  EvidenceRemoved: { types: ['EvidenceAttached'], by: 'evidence_id' },
  GateRemoved: { types: ['GateAdded', 'GateJudged'], by: 'gate_id' },
  WitnessAdded: witness,
  WitnessRemoved: witness,
  LogDistrusted: { types: ['LogTrusted'], by: 'vkey' },
  LogKeyRotated: { types: ['LogKeyRotated'] },
  HarnessOverrideSet: harness,
  HarnessOverrideRemoved: harness,
  OfficePathSet: { types: ['OfficePathSet'] },
  VoiceEngineSelected: { types: ['VoiceEngineSelected'] },
  VoiceModelSet: { types: ['VoiceModelSet'] },
};

/** For each type that holds something: the types that give it back. */
export const HELD_UNTIL: Readonly<Record<string, readonly string[]>> = {
  GoalTitleClaimed: ['GoalTitleReleased'],
};

/** Whether the event holds something that no later readable event of its stream gives back. */
export function isHolding(event: StoredEvent, stream: Iterable<StoredEvent>): boolean {
  const ends = Object.hasOwn(HELD_UNTIL, event.type) ? HELD_UNTIL[event.type]! : [];
  if (ends.length === 0 || event.erased === true) return false;
  return ![...stream].some(
    ({ position, type, erased }) => position > event.position && erased !== true && ends.includes(type),
  );
}

/** Positions of the readable events of the same stream that count again when `event` is erased. */
export function overriddenBy(event: StoredEvent, stream: Iterable<StoredEvent>): readonly number[] {
  const overridden = Object.hasOwn(OVERRIDDEN, event.type) ? OVERRIDDEN[event.type] : undefined;
  if (overridden === undefined || event.erased === true) return [];
  const { types, by } = overridden;
  const isOverridden = (each: StoredEvent): boolean =>
    each.position < event.position &&
    each.erased !== true &&
    types.includes(each.type) &&
    (by === undefined || field(each, by) === field(event, by));
  return [...stream].filter(isOverridden).map(({ position }) => position);
}

function field({ data }: StoredEvent, name: string): unknown {
  return (data as Readonly<Record<string, unknown>> | null)?.[name];
}
