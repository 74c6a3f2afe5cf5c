/** A temporary workspace with the tools on it, for the tests of this folder. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Json } from '../../src/events/envelope.ts';
import type { ToolLimits } from '../../src/integrations/tools/config.ts';
import { createTools } from '../../src/integrations/tools/tools.ts';
import type { ToolOutcome, ToolsPort } from '../../src/ports/tools.ts';
import { temporaryFolder } from '../support/folders.ts';

export interface Bench {
  /** Holds everything of the test: the workspace, the home, and what lies outside of both. */
  readonly outside: string;
  readonly workspace: string;
  readonly home: string;
  readonly tools: ToolsPort;
  put(path: string, content: string | Buffer): void;
  run(name: string, input: Json, signal?: AbortSignal): Promise<ToolOutcome>;
}

let calls = 0;

export function bench(limits: Partial<ToolLimits> = {}, env: NodeJS.ProcessEnv = process.env): Bench {
  const outside = temporaryFolder('tools');
  const workspace = join(outside, 'workspace');
  const home = join(outside, 'home');
  mkdirSync(workspace);
  mkdirSync(home);
  const tools = createTools({ home, env, ...limits });
  onTestFinished(async () => {
    await tools.close();
  });
  return {
    outside,
    workspace,
    home,
    tools,
    put(path, content) {
      mkdirSync(dirname(join(workspace, path)), { recursive: true });
      writeFileSync(join(workspace, path), content);
    },
    run(name, input, signal = new AbortController().signal) {
      calls += 1;
      return tools.call({ callId: `test-${process.pid}-${calls}`, name, input, workspace }, signal);
    },
  };
}
