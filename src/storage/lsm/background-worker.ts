/** The worker thread of the `lsm` engine: a flush or an edit never waits for a compaction. */
import { parentPort } from 'node:worker_threads';
import { nodeDisk } from '../node-disk.ts';
import { type Answer, plain } from './background.ts';
import { runTask, type Task } from './tasks.ts';

parentPort?.on('message', ({ id, task }: { readonly id: number; readonly task: Task }) => {
  runTask(nodeDisk, task, (bytes) => send({ id, kind: 'progress', bytes })).then(
    (result) => send({ id, kind: 'result', result }),
    (error: unknown) => send({ id, kind: 'error', error: plain(error) }),
  );
});

function send(message: Answer): void {
  parentPort?.postMessage(message);
}
