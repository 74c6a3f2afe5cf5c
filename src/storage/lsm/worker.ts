/**
 * The worker thread of the `lsm` engine. Urgent tasks (flushes, edits) run to their end as soon as their message
 * arrives; other tasks yield after each step, so that a flush never waits for a compaction.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { parentPort } from 'node:worker_threads';
import { nodeDisk } from '../node-disk.ts';
import { type Answer, plain } from './background.ts';
import { isUrgent, runTask, type Task } from './tasks.ts';

parentPort?.on('message', (message: { readonly id: number; readonly task: Task }) => {
  void answer(message.id, message.task);
});

async function answer(id: number, task: Task): Promise<void> {
  try {
    const steps = runTask(nodeDisk, task);
    let step = steps.next();
    while (!step.done) {
      if (!isUrgent(task)) {
        send({ id, kind: 'progress', bytes: step.value });
        await yieldToOthers();
      }
      step = steps.next();
    }
    send({ id, kind: 'result', result: step.value });
  } catch (error) {
    send({ id, kind: 'error', error: plain(error) });
  }
}

function send(message: Answer): void {
  parentPort?.postMessage(message);
}
