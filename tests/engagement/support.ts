import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import { engagement } from '../../src/commands/engagement/decide.ts';
import type { EngagementState } from '../../src/commands/engagement/state.ts';
import { isRefusal } from '../../src/commands/refusal.ts';
import type { Blocker, EngagementEvent, Phase } from '../../src/events/engagement/events.ts';
import type { Deliverable, EngagementDocument, Evidence, Gate } from '../../src/events/engagement/records.ts';
import { engagementDocument } from '../../src/projections/engagement/document.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import { openViews } from '../../src/projections/views.ts';
import { PastViews } from '../../src/queries/as-of/past-views.ts';
import type { EngagementSources } from '../../src/queries/engagement/as-of.ts';
import { eventTable } from '../../src/resources.ts';
import { openStorage } from '../../src/storage/open.ts';
import { givenProjection } from '../../src/testing/given-projection.ts';
import { type Asked, ask } from '../support/asking.ts';

export const REASON = { reason: '' };
export const IDS: readonly string[] = Array.from({ length: 46 }, (_, n) => `id-${n + 1}`);

export const OPEN = {
  type: 'OpenEngagement',
  name: 'Ledger migration',
  client: 'Acme',
  summary: '',
  workspace_path: null,
  ids: IDS,
  ...REASON,
} as const;

/** The events a history of accepted commands leads to; a refusal fails the test. */
export function historyOf(...commands: readonly EngagementCommand[]): readonly EngagementEvent[] {
  const events: EngagementEvent[] = [];
  let state = engagement.initial;
  for (const [now, command] of commands.entries()) {
    const decision = engagement.decide(command, state, { id: 'an-id', now });
    if (isRefusal(decision)) throw new Error(`${command.type} was refused: ${decision.message}`);
    events.push(...decision);
    state = decision.reduce(
      (folding, event) => engagement.evolve(folding, { ...event, at: now, actor: 'owner' }),
      state,
    );
  }
  return events;
}

/** The state the events lead to, each a millisecond after the one before. */
export function stateOf(events: readonly EngagementEvent[]): EngagementState {
  return events.reduce(
    (state, event, index) => engagement.evolve(state, { ...event, at: index + 1, actor: 'owner' }),
    engagement.initial,
  );
}

/** The engagement as its readers get it after the events, each a millisecond after the one before. */
export function documentOf(events: readonly EngagementEvent[]): EngagementDocument {
  const streamed = events.map((event) => ({ stream: 'engagement-an-id', ...event }));
  const { views } = givenProjection(engagements, streamed);
  return engagementDocument(views, 'an-id')!;
}

/** A log with the events of the engagement `an-id`; `at` is the time of each by its index. */
export async function logOf(
  events: readonly EngagementEvent[],
  at: (index: number) => number,
): Promise<EngagementSources> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const recorded = events.map(({ type, data }, index) => ({
    ...{ id: `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`, type, at: at(index) },
    ...{ schema: engagement.events[type].version, actor: 'owner', correlation: null, causation: null },
    data: JSON.parse(JSON.stringify(data)),
  }));
  await log.append([{ stream: 'engagement-an-id', expectedVersion: 'none', events: recorded }]);
  return { log, views: openViews(null), past: new PastViews({ log, events: eventTable }) };
}

type Rows = readonly { readonly id: string; readonly phase: Phase }[];

export function deliverableIds({ deliverables }: { readonly deliverables: Rows }, phase: Phase): readonly string[] {
  return deliverables.filter((entry) => entry.phase === phase).map(({ id }) => id);
}

export function gateIds({ gates }: { readonly gates: Rows }, phase: Phase): readonly string[] {
  return gates.filter((gate) => gate.phase === phase).map(({ id }) => id);
}

export function advance(force: boolean, move_id = 'move'): EngagementCommand {
  return { type: 'AdvancePhase', move_id, force, ...REASON };
}

/** Accepts every deliverable of a phase with evidence, and passes every gate of it. */
export function completing(phase: Phase): readonly EngagementCommand[] {
  const state = stateOf(historyOf(OPEN));
  return [
    ...deliverableIds(state, phase).flatMap((deliverable_id): readonly EngagementCommand[] => [
      {
        type: 'AttachEvidence',
        evidence_id: `evidence-of-${deliverable_id}`,
        deliverable_id,
        kind: 'note',
        label: 'seen',
        reference: '',
        file: null,
        ...REASON,
      },
      { type: 'ChangeDeliverable', deliverable_id, status: 'accepted', ...REASON },
    ]),
    ...gateIds(state, phase).map(
      (gate_id): EngagementCommand => ({
        type: 'JudgeGate',
        gate_id,
        verdict: 'pass',
        observed: 'It held.',
        rationale: '',
        decided_by: null,
        ...REASON,
      }),
    ),
  ];
}

/** A client of the engagement routes that says what came back. */
export function client(daemon: Asked) {
  const send = <Body>(method: string, path: string, body?: unknown) => ask<Body>(daemon, method, path, body);
  return {
    send,
    text: async (path: string): Promise<string> => (await daemon.request(path)).text(),
    async open(fields: Readonly<Record<string, unknown>> = {}): Promise<string> {
      const { body } = await send<{ engagement: { id: string } }>('POST', '/engagements', {
        name: 'Ledger migration',
        ...fields,
      });
      return body.engagement.id;
    },
    deliverables: async (id: string, query = ''): Promise<readonly Deliverable[]> =>
      (await send<{ deliverables: Deliverable[] }>('GET', `/engagements/${id}/deliverables${query}`)).body.deliverables,
    gates: async (id: string, query = ''): Promise<readonly Gate[]> =>
      (await send<{ gates: Gate[] }>('GET', `/engagements/${id}/gates${query}`)).body.gates,
    evidence: async (id: string, did: string): Promise<readonly ShownEvidence[]> =>
      (await send<{ evidence: ShownEvidence[] }>('GET', `/engagements/${id}/deliverables/${did}/evidence`)).body
        .evidence,
  };
}

export type Client = ReturnType<typeof client>;
export type ShownEvidence = Evidence & { readonly changed_since: boolean | null };

export interface Outcome {
  readonly outcome: {
    readonly advanced: boolean;
    readonly from: Phase;
    readonly to: Phase | null;
    readonly forced: boolean;
    readonly blockers: readonly Blocker[];
    readonly reason: string;
  };
}
