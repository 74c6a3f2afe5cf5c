/** The references that a model may use: every number of the facts by its name, titles and texts as quotations. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type EngagementFacts, type RunFacts, zBriefingFacts } from '../../src/events/briefing/facts.ts';
import { briefingText } from '../../src/queries/briefing/markdown.ts';
import { briefingReferences } from '../../src/queries/briefing/references.ts';
import { arbitraryOf } from '../../src/testing/schema-values.ts';
import { FACTS } from './support.ts';

const COUNTS = { requested: 5, complete: 2, partial: 0, failed: 3, cancelled: 0, running: 0, queued: 0 };
const RUN: RunFacts['items'][number] = {
  ...{ session_id: '3f9c1a2b4d5e6f7081', status: 'failed', task: 'deploy [the](//shop)', summary: 'exit “137” "now"' },
  ...{ workspace: '/work', steps: 12, files_modified: 4, remaining: 0, ended_at: 1_000, position: 7 },
};

const valuesOf = (references: ReturnType<typeof briefingReferences>) =>
  Object.fromEntries([...references].map(([name, { value }]) => [name, value]));

it('names counts, entries and times; says what they mean; leaves out positions', () => {
  const runs = { ...COUNTS, items: [RUN], more: 0 };
  const gates = [{ title: 'Ready', verdict: 'fail' as const }];
  const moves = [{ kind: 'advanced' as const, from: 'discover' as const, to: 'build' as const }];
  const engagement: EngagementFacts['items'][number] = {
    ...{ id: 'e1', name: 'Atlas', client: 'Acme', status: 'active', phase: 'build' as const, moves, gates },
    ...{ evidence_added: 0, evidence_removed: 0, deliverables_changed: 0, deliverables_accepted: 1 },
    ...{ deliverables_total: 9, blockers: 2, gates_failed: 1, position: 8 },
  };
  const engagements = { active: 1, items: [engagement], more: 2 };
  const references = briefingReferences({ ...FACTS, runs, engagements }, 'short');
  expect(valuesOf(references)).toMatchObject({
    needs_you: '0',
    events: '7',
    period_to: '2026-11-22 07:00',
    jobs_failed: '3',
    jobs_complete: '2',
    job_1: '“deploy [the\\](//shop)”',
    job_1_summary: "“exit '137' 'now'”",
    job_1_session_id: '`3f9c1a2b4d5e`',
    job_1_steps: '12',
    engagements_moved: '3',
    engagement_1: '“Atlas”',
    engagement_1_client: '“Acme”',
    engagement_1_blockers: '2',
    engagement_1_gate_1: '“Ready”',
  });
  expect(references.get('job_1')!.meaning).toBe('agent run, failed');
  expect(references.get('engagement_1')!.meaning).toBe('engagement, active, build, advanced from discover to build');
  expect(references.get('engagement_1_gate_1')!.meaning).toMatch(/^gate of the engagement.*: fail$/);
  expect([...references.keys()].filter((name) => /position|_at$/.test(name))).toEqual([]);
});

it('names the repositories that the computed text shows, in its order', () => {
  const repository = (path: string, commits: number) => {
    return { path, commits, merges: 0, authors: 1, remediations: 0, tags: [], head: null, error: null };
  };
  const repositories = ['/idle', '/a', '/b', '/c', '/d'].map(repository);
  const facts = { ...FACTS, repositories };
  expect(briefingText(facts, 'short').markdown).toMatch(/- \/a: .*\n- \/b: .*\n- \/c: .*\n- … and 1 more\n$/);
  const names = ['repository_1', 'repository_2', 'repository_3', 'repository_4'];
  const references = valuesOf(briefingReferences(facts, 'short'));
  expect(names.map((name) => references[name])).toEqual(['“/a”', '“/b”', '“/c”', undefined]);
});

it('gives numbers of the facts only, and quotes that no text can leave', () => {
  const ODD = new Map([
    ['a', 'a” and “b" «c» „d'],
    ['b', 'x `y`\n# 99 <img src=z>'],
  ]);
  const odd = (_: string, value: unknown): unknown => (typeof value === 'string' ? (ODD.get(value) ?? value) : value);
  fc.assert(
    fc.property(arbitraryOf(zBriefingFacts), fc.constantFrom('short' as const, 'long' as const), (any, length) => {
      const written = JSON.stringify({ ...any, timezone: 'UTC', period: { ...any.period, from: 0, to: 0 } });
      const facts = zBriefingFacts.parse(JSON.parse(written, odd));
      for (const [name, { kind, value }] of briefingReferences(facts, length)) {
        expect(name).toMatch(/^[a-z0-9_]+$/);
        if (kind === 'quote') expect(value).toMatch(/^“[^“”„«»"\n]*”$/);
        if (kind === 'quote') expect(value).not.toMatch(/(?<!\\)[<`]/);
        if (kind === 'id') {
          const [fence = ''] = /^`+/.exec(value) ?? [];
          expect(value.slice(fence.length, -fence.length)).not.toContain(fence);
          expect(value).toMatch(/^`[^\n]*`$/);
        }
        if (kind === 'number' && !DERIVED.test(name)) expect(written).toContain(`:${value}`);
      }
    }),
    { numRuns: 60 },
  );
});

/** Sums of facts. */
const DERIVED = /^(?:needs_you|events|commits|approvals_waiting|goals_touched|engagements_moved)$/;
