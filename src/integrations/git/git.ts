/** The git port over the real git program, made when a repository is first asked for: most daemons never are. */
import type { GitPort } from '../../ports/git.ts';

export function createGit(env: NodeJS.ProcessEnv): GitPort {
  let reader: Promise<GitPort> | undefined;
  const made = (): Promise<GitPort> => (reader ??= import('./reader.ts').then(({ createReader }) => createReader(env)));
  return {
    open: async (path) => (await made()).open(path),
    async close() {
      await (await reader)?.close();
    },
  };
}
