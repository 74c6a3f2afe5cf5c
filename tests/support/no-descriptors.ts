/** A program that takes every descriptor that it may have, then starts git, the process that asks the keyring, and tools. */
import { mkdtempSync, openSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGitRunner } from '../../src/integrations/git/process.ts';
import { createKeyring } from '../../src/integrations/keyring/keyring.ts';
import { createTools } from '../../src/integrations/tools/tools.ts';

function takeAll(): void {
  for (;;) openSync('/dev/null', 'r');
}

const answers: string[] = [];
const note = (error: Error): void => void answers.push(`${error.name}: ${error.message}`);
const git = createGitRunner();
const keyring = createKeyring();
const workspace = mkdtempSync(join(tmpdir(), 'no-descriptors-'));
const tools = createTools({ home: join(workspace, 'home'), env: process.env });
const { signal } = new AbortController();
try {
  takeAll();
} catch {
  // None is left.
}
await git.run({ args: ['version'], cwd: '/', env: {}, output: () => undefined }).catch(note);
await keyring.get('anything').catch(note);
const command = { callId: 'one', name: 'bash', input: { command: 'true' }, workspace };
answers.push((await tools.call(command, signal)).output);
rmdirSync(workspace);
// Errors that nobody listens for end the process before this.
setImmediate(() => process.stdout.write(answers.join('\n')));
