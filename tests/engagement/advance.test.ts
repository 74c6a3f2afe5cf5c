/** Leaving a phase: clean, forced, refused, and at the end; every phase, complete or not, forced or not. */
import { describe, expect, it } from 'vitest';
import { engagement } from '../../src/commands/engagement/decide.ts';
import { phaseReadiness } from '../../src/commands/engagement/readiness.ts';
import { PHASES, type Phase } from '../../src/events/engagement/events.ts';
import { advanceOutcome } from '../../src/queries/engagement/outcome.ts';
import { decider } from '../support/given.ts';
import { advance, completing, documentOf, historyOf, OPEN } from './support.ts';

const { given } = decider(engagement);

/** Phase, complete or not, forced or not → the outcome of advancing. */
const ADVANCES: readonly (readonly [
  Phase,
  boolean,
  boolean,
  { to: Phase | null; advanced: boolean; forced: boolean },
])[] = PHASES.flatMap((phase, index) => {
  const to = PHASES[index + 1] ?? null;
  const last = to === null;
  return [
    [phase, false, false, { to, advanced: false, forced: false }],
    [phase, false, true, { to, advanced: !last, forced: !last }],
    [phase, true, false, { to, advanced: !last, forced: false }],
    [phase, true, true, { to, advanced: !last, forced: false }],
  ] as const;
});

describe('advancing', () => {
  it.each(ADVANCES)('from %s, complete %s, force %s', (phase, complete, force, expected) => {
    const reach = PHASES.slice(0, PHASES.indexOf(phase)).map((from) => advance(true, from));
    const history = historyOf(OPEN, ...reach, ...(complete ? completing(phase) : []));
    const asked = given(history).when(advance(force));
    const came = documentOf([...history, ...asked.events()]);
    const outcome = advanceOutcome(came, 'move');
    expect(outcome).toMatchObject({ ...expected, from: phase });
    expect(outcome.blockers).toEqual(phaseReadiness(documentOf(history), phase).blockers);
    expect(outcome.blockers.length === 0).toBe(complete);
    expect(came.engagement.current_phase).toBe(expected.advanced ? expected.to : phase);
    expect(came.engagement.status).toBe('draft');
    asked.thenTypes(...(expected.advanced ? ['PhaseAdvanced'] : []));
  });
  it('says in words what came of it', () => {
    const outcome = (history: ReturnType<typeof historyOf>, force: boolean): string => {
      const asked = given(history).when(advance(force));
      return advanceOutcome(documentOf([...history, ...asked.events()]), 'move').reason;
    };
    const operating = historyOf(OPEN, advance(true, '1'), advance(true, '2'), advance(true, '3'));
    expect(outcome(historyOf(OPEN), false)).toContain('12 blockers');
    expect(outcome(historyOf(OPEN), true)).toContain('overriding 12 blockers');
    expect(outcome(operating, true)).toContain('final phase');
    expect(outcome(historyOf(OPEN, ...completing('discover')), false)).toContain('nothing stood in the way');
  });
});
