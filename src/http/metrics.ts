/** Metrics over time, for the console. `/metrics` on the storage operations port is for monitoring systems. */
import { z } from 'zod';
import type { Clock } from '../ports/clock.ts';
import { KEPT_MS, type MetricsHistory, SAMPLE_EVERY_MS } from '../reactors/metrics/history.ts';
import type { StorageControl } from '../storage/ops/control.ts';
import { queryNumber, zCursor } from './server/query-params.ts';
import { ok, type RouteSpec, routesOf, value } from './server/route.ts';

const { get } = routesOf({ tag: 'metrics', withoutViews: true });

export interface Dependencies {
  readonly clock: Clock;
  readonly startedAt: number;
  readonly metricsHistory: Pick<MetricsHistory, 'since'>;
  readonly storageControl: Pick<StorageControl, 'backups'>;
}

const HOUR_MS = 3_600_000;
const POINTS_DEFAULT = 360;
const POINTS_MAX = 2_000;

const zBackups = z.object({
  kept: z.int().describe('Backups that are kept.'),
  failures: z.int().describe('Backups that failed since the start of the daemon.'),
  failure: z.string().nullable().describe('Why the last one failed; null when it did not.'),
  last: z
    .object({
      position: z.int(),
      bytes: z.int(),
      made_at: z.int(),
      verified_at: z.int().describe('When it was last restored to a scratch folder and found whole.'),
    })
    .nullable()
    .describe('The newest one; null before it.'),
});

const zHistory = z.object({
  every_ms: z.int().describe('Milliseconds between two samples.'),
  kept_ms: z.int().describe('Milliseconds for which samples are kept.'),
  started_at: z.int(),
  at: z.array(z.int()).describe('Unix milliseconds of each point.'),
  series: z
    .record(z.string(), z.array(z.number().nullable()))
    .describe(
      'By name, a value for each point; null where nothing was measured. Seconds, bytes, ratios, rates per second.',
    ),
  backups: zBackups.nullable().describe('The kept backups; null when none are kept.'),
});
z.globalRegistry.add(zHistory, { id: 'MetricsHistory' });

export function metricsRoutes({
  clock,
  startedAt,
  metricsHistory,
  storageControl,
}: Dependencies): readonly RouteSpec[] {
  return [
    get('/v1/metrics/history', {
      operation: 'history',
      summary: 'What was measured since `from` (Unix milliseconds; an hour ago), in at most `points` points.',
      query: z.object({
        from: zCursor.optional().describe('Unix milliseconds; absent: an hour ago.'),
        points: queryNumber({ min: 1, max: POINTS_MAX }).default(POINTS_DEFAULT).describe('At most so many.'),
      }),
      responses: ok('The points.', zHistory),
      handle({ query }) {
        const { at, series } = metricsHistory.since(query.from ?? clock.now() - HOUR_MS, query.points);
        const state = storageControl.backups();
        const backups = state && {
          kept: state.kept,
          failures: state.failures,
          failure: state.failure,
          last: state.last && {
            position: state.last.position,
            bytes: state.last.bytes,
            made_at: Math.round(state.last.madeAt),
            verified_at: Math.round(state.last.verifiedAt),
          },
        };
        return value({ every_ms: SAMPLE_EVERY_MS, kept_ms: KEPT_MS, started_at: startedAt, at, series, backups });
      },
    }),
  ];
}
