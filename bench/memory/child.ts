/**
 * One candidate in a separate process: `fill` writes everything, `ask` opens it and answers the questions. Prints one
 * line of JSON. A flat scan stores nothing, so it fills and answers in one step.
 */
import { performance } from 'node:perf_hooks';
import { type Candidate, type CandidateName, openCandidate } from './candidates.ts';
import { createTexts } from './texts.ts';

const DRAWER_CHARACTERS = 800;
const MEMORY_WORDS = 14;
/** The batch size of the projector. */
const BATCH = 2_000;
/** Questions before anything is counted: code is compiled, pages are read. */
const UNCOUNTED = 50;

const [name, phase, path, drawers, memories, questions] = process.argv.slice(2) as [
  CandidateName,
  'fill' | 'ask',
  string,
  string,
  string,
  string,
];

const candidate = openCandidate(name, path, phase === 'fill');
const figures: Record<string, number> = {};
if (phase === 'fill' || name === 'flat') fill(candidate);
if (phase === 'ask') ask(candidate);
figures.rssMb = process.memoryUsage().rss / 2 ** 20;
figures.peakRssMb = process.resourceUsage().maxRSS / 2 ** 10;
candidate.close();
process.stdout.write(`${JSON.stringify(figures)}\n`);

/** Texts are generated outside the timed section. */
function fill(into: Candidate): void {
  const texts = createTexts(7);
  let spent = 0;
  const add = (kind: 'drawer' | 'memory', count: number, make: () => string): number => {
    const before = spent;
    for (let done = 0; done < count; done += BATCH) {
      const items = Array.from({ length: Math.min(BATCH, count - done) }, (_, at) => ({
        key: `${kind}-${done + at}`,
        kind,
        text: make(),
      }));
      const begun = performance.now();
      into.add(items);
      spent += performance.now() - begun;
    }
    return count / ((spent - before) / 1_000);
  };
  figures.drawersPerSecond = add('drawer', Number(drawers), () => texts.talk(DRAWER_CHARACTERS));
  figures.memoriesPerSecond = add('memory', Number(memories), () => texts.sentence(MEMORY_WORDS));
}

function ask(whom: Candidate): void {
  const texts = createTexts(11);
  const steps: number[] = [];
  for (let more = true; more; ) {
    const begun = performance.now();
    more = whom.warm();
    steps.push(performance.now() - begun);
  }
  figures.warmMs = steps.reduce((sum, step) => sum + step, 0);
  figures.longestWarmStepMs = Math.max(...steps);
  for (const kind of ['drawer', 'memory'] as const) {
    const times: number[] = [];
    const busy: number[] = [];
    for (let at = 0; at < UNCOUNTED + Number(questions); at += 1) {
      const question = texts.question();
      const begun = performance.now();
      const worked = process.cpuUsage();
      whom.search(question, kind);
      const spent = process.cpuUsage(worked);
      if (at === 0) figures[`${kind}FirstMs`] = performance.now() - begun;
      if (at < UNCOUNTED) continue;
      times.push(performance.now() - begun);
      busy.push((spent.user + spent.system) / 1_000);
    }
    figures[`${kind}P50Ms`] = percentile(times, 0.5);
    figures[`${kind}P95Ms`] = percentile(times, 0.95);
    figures[`${kind}P95CpuMs`] = percentile(busy, 0.95);
  }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
