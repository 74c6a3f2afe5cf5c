/**
 * Random histories of engagements compared with a simple model of counts and words: the invariants hold, the views are
 * a function of the log, and every past position can be read as it was.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EngagementCommand } from '../../src/commands/engagement/commands.ts';
import { engagement } from '../../src/commands/engagement/decide.ts';
import { readiness } from '../../src/commands/engagement/readiness.ts';
import { Refused } from '../../src/commands/refusal.ts';
import { PHASES, zDeliverableStatus, zEngagementStatus, zVerdict } from '../../src/events/engagement/events.ts';
import type { EngagementDocument } from '../../src/events/engagement/records.ts';
import { engagementDocument } from '../../src/projections/engagement/document.ts';
import { engagements } from '../../src/projections/engagement/engagement.ts';
import { openViews, type ViewsStore } from '../../src/projections/views.ts';
import { PastViews } from '../../src/queries/as-of/past-views.ts';
import { documentAsOf } from '../../src/queries/engagement/as-of.ts';
import { eventTable } from '../../src/resources.ts';
import type { EventLog } from '../../src/storage/event-log.ts';
import { openStorage } from '../../src/storage/open.ts';
import { type CommandHandler, createCommandHandler } from '../../src/streams/command-handler.ts';
import { createCommittedEvents } from '../../src/streams/committed-events.ts';
import { Projector } from '../../src/streams/projector.ts';
import { byDepth } from '../support/depth.ts';
import { steadySystem } from '../support/steady-system.ts';
import { IDS, OPEN, REASON } from './support.ts';

const RUNS = byDepth({ sample: 25, dense: 100, long: 300 });
const ID = '01900000-0000-7000-8000-00000000abcd';
const ORIGIN = { origin: { actor: 'owner', correlation: null } };
/** A few of each, so that commands meet. */
const ITEMS = ['id-1', 'id-10', 'id-15', 'added'];
const GATES = ['id-31', 'id-34', 'id-38', 'extra'];
const EVIDENCE = ['e1', 'e2', 'e3'];

const text = fc.constantFrom('', ' ', 'seen', 'a|b\n');
const commands: fc.Arbitrary<EngagementCommand> = fc.oneof(
  fc.record({
    type: fc.constant('ChangeDeliverable' as const),
    deliverable_id: fc.constantFrom(...ITEMS),
    status: fc.constantFrom(...zDeliverableStatus.options),
    owner: fc.constantFrom(undefined, null, 'Ann'),
    notes: fc.constantFrom(undefined, 'n'),
    reason: text,
  }),
  fc.record({
    type: fc.constant('AttachEvidence' as const),
    evidence_id: fc.constantFrom(...EVIDENCE),
    deliverable_id: fc.constantFrom(...ITEMS),
    kind: fc.constant('file' as const),
    label: text,
    reference: fc.constantFrom('a', 'b'),
    file: fc.constantFrom(null, { path: '/a', size_bytes: 1, sha256: null }),
    reason: text,
  }),
  fc.record({
    type: fc.constant('RemoveEvidence' as const),
    evidence_id: fc.constantFrom(...EVIDENCE),
    reason: text,
  }),
  fc.record({
    type: fc.constant('JudgeGate' as const),
    gate_id: fc.constantFrom(...GATES),
    verdict: fc.constantFrom(...zVerdict.options),
    observed: fc.option(text),
    rationale: text,
    decided_by: fc.option(text),
    reason: text,
  }),
  fc.record({
    type: fc.constant('RemoveGate' as const),
    gate_id: fc.constantFrom(...GATES),
    reason: text,
  }),
  fc.record({
    type: fc.constant('AdvancePhase' as const),
    move_id: fc.uuid(),
    force: fc.boolean(),
    reason: text,
  }),
  fc.record({
    type: fc.constant('ChangeEngagement' as const),
    status: fc.constantFrom(undefined, ...zEngagementStatus.options),
    phase: fc.constantFrom(undefined, ...PHASES),
    move_id: fc.uuid(),
    reason: text,
  }),
  fc.constant<EngagementCommand>({
    type: 'AddDeliverable',
    deliverable_id: 'added',
    phase: 'build',
    key: 'added',
    title: 'Added',
    ...REASON,
  }),
  fc.constant<EngagementCommand>({
    type: 'AddDeliverable',
    deliverable_id: 'never',
    phase: 'build',
    key: 'system-inventory',
    title: 'Revised',
    ...REASON,
  }),
  fc.constant<EngagementCommand>({
    type: 'AttachFound',
    found: ['a', 'b'].map((reference) => ({
      evidence_id: `found-${reference}`,
      deliverable_key: 'runbooks',
      label: 'detected',
      reference,
      file: null,
    })),
    ...REASON,
  }),
);

/** The rules once more, in as few words as they can be said. */
class Model {
  readonly items = new Map<string, { status: string; evidence: string[] }>();
  readonly gates = new Map<string, { verdict: string; observed: string | null }>();

  constructor(document: EngagementDocument) {
    for (const { id } of document.deliverables) this.items.set(id, { status: 'not_started', evidence: [] });
    for (const { id } of document.gates) this.gates.set(id, { verdict: 'not_measured', observed: null });
  }

  /** Whether it must be accepted; what is accepted is done. */
  takes(command: EngagementCommand): boolean {
    switch (command.type) {
      case 'ChangeDeliverable': {
        const item = this.items.get(command.deliverable_id);
        if (item !== undefined) item.status = command.status!;
        return item !== undefined;
      }
      case 'AttachEvidence': {
        const item = this.items.get(command.deliverable_id);
        item?.evidence.push(command.evidence_id);
        return item !== undefined;
      }
      case 'RemoveEvidence': {
        const item = [...this.items.values()].find(({ evidence }) => evidence.includes(command.evidence_id));
        if (item !== undefined) item.evidence = item.evidence.filter((id) => id !== command.evidence_id);
        return item !== undefined;
      }
      case 'JudgeGate': {
        const gate = this.gates.get(command.gate_id);
        const observed = (command.observed ?? '').trim() === '' ? null : command.observed;
        if (gate === undefined || (command.verdict === 'pass' && observed === null)) return false;
        Object.assign(gate, { verdict: command.verdict, observed });
        return true;
      }
      case 'RemoveGate':
        return this.gates.delete(command.gate_id);
      case 'AddDeliverable':
        if (command.deliverable_id === 'added' && !this.items.has('added')) {
          this.items.set('added', { status: 'not_started', evidence: [] });
        }
        return true;
      case 'AttachFound': {
        const runbooks = this.items.get('id-24')!;
        for (const { evidence_id } of command.found) {
          if (!runbooks.evidence.includes(evidence_id)) runbooks.evidence.push(evidence_id);
        }
        return true;
      }
      default:
        return true;
    }
  }

  check(document: EngagementDocument): void {
    const count = (id: string): number => this.items.get(id)!.evidence.length;
    expect(document.deliverables.map(({ id, status, evidence_count }) => [id, status, evidence_count])).toEqual(
      [...this.items].map(([id, { status }]) => [id, status, count(id)]),
    );
    expect(document.gates.map(({ id, verdict, observed }) => [id, verdict, observed])).toEqual(
      [...this.gates].map(([id, { verdict, observed }]) => [id, verdict, observed]),
    );
    expect(document.evidence).toHaveLength(document.deliverables.reduce((sum, item) => sum + item.evidence_count, 0));
    for (const phase of readiness(document)) {
      const items = document.deliverables.filter((item) => item.phase === phase.phase);
      const gates = document.gates.filter((gate) => gate.phase === phase.phase);
      const met =
        items.every(({ id, status }) => status === 'waived' || (status === 'accepted' && count(id) > 0)) &&
        gates.every(({ verdict }) => verdict === 'pass' || verdict === 'waived');
      expect(phase.can_exit).toBe(met);
      expect(phase.blockers.length === 0).toBe(met);
      const { total, claimed_without_evidence: _claimed, ...statuses } = phase.deliverables;
      expect(Object.values(statuses).reduce((sum, n) => sum + n, 0)).toBe(total);
      const { total: gatesTotal, ...verdicts } = phase.gates;
      expect(Object.values(verdicts).reduce((sum, n) => sum + n, 0)).toBe(gatesTotal);
      expect(phase.completion === null).toBe(items.every(({ status }) => status === 'waived'));
    }
    for (const { verdict, observed } of document.gates) {
      if (verdict === 'pass') expect(observed?.trim()).toBeTruthy();
    }
  }
}

async function opened(): Promise<{ log: EventLog; commandHandler: CommandHandler }> {
  const { log } = await openStorage({ directory: '', ephemeral: true });
  const commandHandler = createCommandHandler({ log, ...steadySystem() });
  await commandHandler.dispatch(engagement, ID, { ...OPEN, ids: IDS }, ORIGIN);
  return { log, commandHandler };
}

function projectorOn(log: EventLog, store: ViewsStore) {
  const report = (message: string): void => expect.unreachable(message);
  return new Projector({ log, store, projections: [engagements], events: eventTable, report });
}

/** Views with their tables and nothing in them, and a projector that is yet to be fed. */
async function emptyViews(log: EventLog) {
  const store = openViews(null);
  const { log: nothing } = await openStorage({ directory: '', ephemeral: true });
  await projectorOn(nothing, store).catchUp();
  return { store, projector: projectorOn(log, store) };
}

/** The part of an engagement that the rules ask about. */
function stateOf({ engagement: facts, deliverables, evidence, gates, moves, removedGates }: EngagementDocument) {
  const { status, current_phase } = facts;
  return {
    ...{ presence: 'open', status, current_phase, moves: moves.length, removedGates: removedGates.length },
    deliverables: deliverables.map(({ id, phase, key, title, description, tool_hint, status, owner, notes }) => {
      const items = evidence.filter(({ deliverable_id }) => deliverable_id === id);
      const own = items.map(({ id, reference, file_path }) => ({ id, reference, file_path }));
      return { id, phase, key, title, description, tool_hint, status, owner, notes, evidence: own };
    }),
    gates: gates.map(({ id, phase, title, verdict, observed, rationale, judgements }) => {
      return { id, phase, title, verdict, observed, rationale, judgements: judgements.length };
    }),
  };
}

async function accepted(commandHandler: CommandHandler, command: EngagementCommand): Promise<boolean> {
  try {
    await commandHandler.dispatch(engagement, ID, command, ORIGIN);
    return true;
  } catch (error) {
    if (error instanceof Refused) return false;
    throw error;
  }
}

describe('any sequence of commands', () => {
  it('is judged as the model judges it, and keeps the invariants', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { maxLength: 40 }), async (sequence) => {
        const { log, commandHandler } = await opened();
        const store = openViews(null);
        const projector = projectorOn(log, store);
        await projector.catchUp();
        createCommittedEvents(log, projector);
        const now = (): EngagementDocument => engagementDocument(store, ID)!;
        const model = new Model(now());
        for (const command of uniqueEvidence(sequence)) {
          expect(await accepted(commandHandler, command)).toBe(model.takes(command));
          model.check(now());
          expect(stateOf(now())).toEqual(commandHandler.load(engagement, ID));
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('gives the same views at any cut, and the same when asked for later', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(fc.array(commands, { maxLength: 30 }), cuts, fc.boolean(), async (sequence, sizes, remove) => {
        const { log, commandHandler } = await opened();
        for (const command of uniqueEvidence(sequence)) await accepted(commandHandler, command);
        const past = new PastViews({ log, events: eventTable });
        const head = `${log.head().position}`;
        const present = (await documentAsOf({ log, views: openViews(null), past }, ID, head)).document;
        if (remove) await commandHandler.dispatch(engagement, ID, { type: 'RemoveEngagement', ...REASON }, ORIGIN);

        const atOnce = openViews(null);
        await projectorOn(log, atOnce).catchUp();
        expect(engagementDocument(atOnce, ID)).toEqual(remove ? undefined : present);

        const { store, projector } = await emptyViews(log);
        const deps = { log, views: store, past };
        let position = 0;
        for (let piece = 0; position < log.head().position; piece += 1) {
          const batch = [...log.readAll({ after: position, limit: sizes[piece % sizes.length]! })];
          projector.apply(batch);
          position = batch.at(-1)!.position;
          const seen = engagementDocument(store, ID);
          const then = documentAsOf(deps, ID, `${position}`);
          if (seen === undefined) await expect(then).rejects.toThrow('did not exist');
          else expect((await then).document).toEqual(seen);
        }
        expect(engagementDocument(store, ID)).toEqual(remove ? undefined : present);
      }),
      { numRuns: RUNS },
    );
  });
});

/** An evidence id is attached once: ids are made by the daemon, and never twice. */
function uniqueEvidence(sequence: readonly EngagementCommand[]): readonly EngagementCommand[] {
  const used = new Set<string>();
  return sequence.filter((command) => {
    if (command.type !== 'AttachEvidence') return true;
    const fresh = !used.has(command.evidence_id);
    used.add(command.evidence_id);
    return fresh;
  });
}
