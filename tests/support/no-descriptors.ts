/** A program that takes every descriptor that it may have, then starts git and the process that asks the keyring. */
import { openSync } from 'node:fs';
import { createGitRunner } from '../../src/integrations/git/process.ts';
import { createKeyring } from '../../src/integrations/keyring/keyring.ts';

function takeAll(): void {
  for (;;) openSync('/dev/null', 'r');
}

const answers: string[] = [];
const note = (error: Error): void => void answers.push(`${error.name}: ${error.message}`);
const git = createGitRunner();
const keyring = createKeyring();
try {
  takeAll();
} catch {
  // None is left.
}
await git.run({ args: ['version'], cwd: '/', env: {}, output: () => undefined }).catch(note);
await keyring.get('anything').catch(note);
// Errors that nobody listens for end the process before this.
setImmediate(() => process.stdout.write(answers.join('\n')));
