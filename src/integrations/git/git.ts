/** Implements `GitPort` with the git program. The code is loaded when a repository is first opened. */
import { createOnce } from '../../lib/once.ts';
import type { GitPort } from '../../ports/git.ts';

export function createGit(env: NodeJS.ProcessEnv): GitPort {
  const reader = createOnce(async () => (await import('./reader.ts')).createReader(env));
  return {
    open: async (path) => (await reader.run()).open(path),
    close: async () => (await reader.begun())?.close(),
  };
}
