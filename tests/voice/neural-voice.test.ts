/** The process of the neural voice: one sentence at a time, and none after its end. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { neuralSpeaker } from '../../src/integrations/speech/neural-voice.ts';
import type { ProgramRunner } from '../../src/integrations/speech/program-runner.ts';
import { temporaryFolder } from '../support/folders.ts';

const signal = new AbortController().signal;
const settings = { voice: undefined, sidecar: { command: process.execPath, args: [] } };

/** A voice whose program speaks a line when the test says so, and that takes its time to die. */
function neuralVoice() {
  const folder = temporaryFolder('voice');
  const dead = Promise.withResolvers<void>();
  let print = (_chunk: Buffer): void => undefined;
  const runner: ProgramRunner = {
    find: () => null,
    inFolder: (work) => work(folder),
    async run({ printed = print }, ended) {
      print = printed;
      await dead.promise;
      throw ended.reason;
    },
    clear: async () => undefined,
  };
  const path = join(folder, '1.wav');
  const speak = (): void => {
    writeFileSync(path, 'sound');
    print(Buffer.from(`${path}\n`));
  };
  return { speaker: neuralSpeaker(runner, folder), speak, die: dead.resolve };
}

it('a sentence that waits is not begun when the voice has been ended', async () => {
  const { speaker, speak, die } = neuralVoice();
  const first = speaker.wav('one', settings, signal);
  const second = expect(speaker.wav('two', settings, signal)).rejects.toThrow('The neural voice was ended.');
  await turn();
  const closed = speaker.close();
  speak();
  expect(String(await first)).toBe('sound');
  await second;
  die();
  await closed;
});
