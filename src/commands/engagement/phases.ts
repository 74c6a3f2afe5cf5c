/** The four phases of an engagement: their order, names, published duration and purpose. */
import { z } from 'zod';
import { PHASES, type Phase, zPhase } from '../../events/engagement/events.ts';

export const zPhaseFacts = z.object({
  phase: zPhase,
  title: z.string(),
  /** null when no duration is published. */
  cadence: z.string().nullable(),
  purpose: z.string().describe('The purpose of the phase.'),
  index: z.int().describe('Place of the phase in their order, from 0.'),
});
export type PhaseFacts = Readonly<z.infer<typeof zPhaseFacts>>;

const FACTS: Readonly<Record<Phase, Omit<PhaseFacts, 'phase' | 'index'>>> = {
  discover: {
    title: 'Discover & Assess',
    cadence: null,
    purpose:
      'Map the present state of the systems and talk to the people who operate them, before any solution is chosen. ' +
      'The result is an ordered list of work that follows from what was found.',
  },
  prove: {
    title: 'Prove',
    cadence: '4–8 weeks',
    purpose:
      'Run one narrow pilot on the client’s own data and infrastructure and judge it against criteria that were agreed ' +
      'before it began. A well-founded no is a result.',
  },
  build: {
    title: 'Build & Harden',
    cadence: 'Scope-dependent',
    purpose:
      'Deliver to production: infrastructure as code, automated build and release, tests and observability, with the ' +
      'security review taking place while the design can still change.',
  },
  operate: {
    title: 'Operate & Transfer',
    cadence: 'Ongoing or fixed',
    purpose:
      'Operate the system under an agreed service level, then hand it over deliberately, until the client’s engineers ' +
      'run and change it without us.',
  },
};

export const PHASE_FACTS: readonly PhaseFacts[] = PHASES.map((phase, index) => ({ phase, ...FACTS[phase], index }));

export function phaseFacts(phase: Phase): PhaseFacts {
  return PHASE_FACTS[PHASES.indexOf(phase)]!;
}

/** The phase after this one, or null after the last. */
export function phaseAfter(phase: Phase): Phase | null {
  return PHASES[PHASES.indexOf(phase) + 1] ?? null;
}
