/** Implements `GitPort` with the git program. The code is loaded when a repository is first opened. */
import type { GitPort } from '../../ports/git.ts';

export function createGit(env: NodeJS.ProcessEnv): GitPort {
  let reader: Promise<GitPort> | undefined;
  const load = (): Promise<GitPort> => (reader ??= import('./reader.ts').then(({ createReader }) => createReader(env)));
  return {
    open: async (path) => (await load()).open(path),
    async close() {
      await (await reader)?.close();
    },
  };
}
