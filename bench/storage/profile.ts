/** Where the time of a workload goes: the functions that the sampling profiler saw running. */
import { type Profiler, Session } from 'node:inspector/promises';
import { relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Hot } from './plan.ts';

const SAMPLE_MICROSECONDS = 200;
const SHOWN = 8;
const SHARE_MIN = 0.01;
const ROOT = resolve(import.meta.dirname, '../..');

/** Runs `work`, profiled if requested; returns its hottest functions. */
export async function sampled(wanted: boolean, work: () => Promise<void>): Promise<readonly Hot[] | undefined> {
  if (!wanted) {
    await work();
    return undefined;
  }
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLE_MICROSECONDS });
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  return hottest(profile);
}

function hottest({ nodes, samples = [] }: Profiler.Profile): Hot[] {
  const names = new Map(nodes.map((node) => [node.id, nameOf(node)]));
  const counts = new Map<string, number>();
  for (const sample of samples) {
    const name = names.get(sample) ?? '?';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, SHOWN)
    .map(([name, count]) => ({ name, share: count / samples.length }))
    .filter(({ share }) => share >= SHARE_MIN);
}

function nameOf({ callFrame: { functionName, url, lineNumber } }: Profiler.ProfileNode): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (!url.startsWith('file:')) return name;
  return `${name} ${relative(ROOT, fileURLToPath(url))}:${lineNumber + 1}`;
}
