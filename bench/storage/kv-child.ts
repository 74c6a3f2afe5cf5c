/**
 * One step of the key-value benchmark, as a separate process with its own memory: `node kv-child.ts PLAN`. Prints one
 * line of JSON.
 */
import { writeSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import { keyAt, randomKeys, valuesOf } from './data.ts';
import { measurePause } from './pause.ts';
import {
  type CrashResult,
  KEY_BYTES,
  type KvPlan,
  LOAD_BATCH,
  type RecoverResult,
  type ReopenResult,
  type SubjectName,
} from './plan.ts';
import type { Subject } from './subjects/subject.ts';
import { openSubject } from './subjects.ts';
import { diskBytes } from './system.ts';
import { work } from './work.ts';

const REOPENS = 5;

const plan = JSON.parse(process.argv[2] ?? '') as KvPlan;
const open = (): Promise<Subject> => openSubject(plan.subject as SubjectName, plan);
const liveBytes = plan.scale.records * (KEY_BYTES + plan.valueBytes);

switch (plan.step) {
  case 'work':
    answer(await work(plan, open));
    break;
  case 'reopen':
    answer(await reopen());
    break;
  case 'crash':
    await crash();
    break;
  case 'recover':
    answer(await recover());
    break;
  case 'pause':
    answer(await measurePause(plan, plan.subject === 'none' ? undefined : await open()));
    break;
}

function answer(result: unknown): void {
  writeSync(1, `${JSON.stringify(result)}\n`);
}

/** Opens and reads one key, several times. */
async function reopen(): Promise<ReopenResult> {
  const openMs: number[] = [];
  for (let done = 0; done < REOPENS; done += 1) {
    const began = performance.now();
    const subject = await open();
    if (subject.get(keyAt(0)) === undefined) throw new Error(`${plan.subject} lost a key.`);
    openMs.push(performance.now() - began);
    await subject.close();
  }
  return { openMs };
}

/** Puts until there is much to recover, then dies as a killed process does. */
async function crash(): Promise<void> {
  const subject = await open();
  const valueAt = valuesOf(plan.valueBytes);
  const batches = Math.ceil(plan.scale.crashBytes / (KEY_BYTES + plan.valueBytes) / LOAD_BATCH);
  const keys = randomKeys(LOAD_BATCH * 16, plan.scale.records);
  for (let batch = 0; batch < batches; batch += 1) {
    const puts = Array.from({ length: LOAD_BATCH }, (_, at) => ({
      key: keys[(batch * LOAD_BATCH + at) % keys.length]!,
      value: valueAt(batch + at),
    }));
    await subject.load(puts);
  }
  const putBytes = batches * LOAD_BATCH * (KEY_BYTES + plan.valueBytes);
  answer({ putBytes, walBytes: subject.walBytes?.() ?? null } satisfies CrashResult);
  process.kill(process.pid, 'SIGKILL');
}

async function recover(): Promise<RecoverResult> {
  const opened = await timed(async () => {
    const subject = await open();
    if (subject.get(keyAt(0)) === undefined) throw new Error(`${plan.subject} lost a key.`);
    return subject;
  });
  const subject = opened.value;
  const verified = subject.verify === undefined ? undefined : await timed(async () => subject.verify!());
  const compacted = subject.compact === undefined ? undefined : await timed(async () => subject.compact!());
  await subject.close();
  return {
    openMs: opened.ms,
    verifyMs: verified?.ms ?? null,
    faults: verified?.value ?? null,
    compactMs: compacted?.ms ?? null,
    diskBytes: diskBytes(plan.directory),
    liveBytes,
  };
}

async function timed<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value; readonly ms: number }> {
  const began = performance.now();
  const value = await work();
  return { value, ms: performance.now() - began };
}
