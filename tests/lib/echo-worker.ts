/** The child process of `bounded-process.test.ts`: it does what its job says. */
import { getHeapStatistics } from 'node:v8';
import { receiveJob, tellStarter } from '../../src/lib/bounded-process.ts';

const job = await receiveJob<'describe' | 'fill' | 'spin' | 'wait'>();
const { env, execArgv } = process;
tellStarter({ env: Object.keys(env), execArgv, heapMebibytes: getHeapStatistics().heap_size_limit / 2 ** 20 });
const kept: object[] = [];
while (job === 'fill') kept.push(Array.from({ length: 1_000 }, (_, index) => ({ index })));
while (job === 'spin');
