/** The template against the contract's tables: keys and phases in seeding order, and a description for every row. */
import { describe, expect, it } from 'vitest';
import { PHASE_FACTS, phaseAfter } from '../../src/commands/engagement/phases.ts';
import { DELIVERABLE_TEMPLATES } from '../../src/commands/engagement/template-deliverables.ts';
import { GATE_TEMPLATES } from '../../src/commands/engagement/template-gates.ts';

const KEYS = {
  discover:
    'current-state-architecture-map system-inventory stakeholder-interviews functional-requirements ' +
    'non-functional-requirements risk-register dependency-register tech-debt-register prioritized-roadmap',
  prove: 'success-criteria pilot-deployment measured-results cost-model go-no-go',
  build:
    'production-system infrastructure-as-code ci-cd-pipelines test-coverage observability alerting-and-slos ' +
    'threat-model compliance-evidence architecture-decision-records',
  operate: 'runbooks escalation-paths oncall-handbook sla-managed-operation enablement-sessions pairing-log exit-plan',
} as const;

describe('the template', () => {
  it('has four phases, and publishes no duration for the first', () => {
    expect(PHASE_FACTS.map(({ phase, title, cadence, index }) => [index, phase, title, cadence])).toEqual([
      [0, 'discover', 'Discover & Assess', null],
      [1, 'prove', 'Prove', '4–8 weeks'],
      [2, 'build', 'Build & Harden', 'Scope-dependent'],
      [3, 'operate', 'Operate & Transfer', 'Ongoing or fixed'],
    ]);
    expect(PHASE_FACTS.map(({ phase }) => phaseAfter(phase))).toEqual(['prove', 'build', 'operate', null]);
  });

  it('has the 30 deliverables of the contract in seeding order', () => {
    const expected = Object.entries(KEYS).flatMap(([phase, keys]) => keys.split(' ').map((key) => [phase, key]));
    expect(DELIVERABLE_TEMPLATES.map(({ phase, key }) => [phase, key])).toEqual(expected);
    expect(expected).toHaveLength(30);
  });

  it('has 16 gates, 3, 4, 5 and 4, known by phase and title', () => {
    const phases = GATE_TEMPLATES.map(({ phase }) => phase);
    expect(phases).toEqual(['discover 3', 'prove 4', 'build 5', 'operate 4'].flatMap(times));
    expect(new Set(GATE_TEMPLATES.map(({ phase, title }) => `${phase} ${title}`)).size).toBe(16);
  });

  it('lets a gate that counts gates leave itself out: it is not measured while it is being measured', () => {
    const gate = GATE_TEMPLATES.find(({ title }) => title === 'Every criterion is judged')!;
    expect(gate.measurement).toContain('other gates in this phase');
  });

  it('says of every row what it is, and of every gate how it is measured', () => {
    for (const { title, description, tool_hint } of DELIVERABLE_TEMPLATES) {
      expect(title.length).toBeGreaterThan(3);
      expect(description).toMatch(/^[A-Z].{60,}\.$/);
      expect(tool_hint).not.toBe('');
    }
    for (const { title, criterion, measurement } of GATE_TEMPLATES) {
      expect(title.length).toBeGreaterThan(10);
      expect(criterion).toMatch(/^[A-Z].{30,}\.$/);
      expect(measurement).toMatch(/^[A-Z].{50,}\.$/);
    }
  });
});

function times(entry: string): readonly string[] {
  const [phase, count] = entry.split(' ');
  return Array.from({ length: Number(count) }, () => phase!);
}
