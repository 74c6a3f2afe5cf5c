/** Shares the compiled code of this process with the processes that it starts. */
import * as nodeModule from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment variable by which a process that this one starts keeps compiled code where this one does.
 * Empty where this process keeps none.
 */
export function compiledCode(): { readonly NODE_COMPILE_CACHE?: string } {
  // Node keeps the code of each of its versions in a separate folder below the configured one.
  const folder = nodeModule.getCompileCacheDir?.();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}

/**
 * Stores the compiled code of this process. Node does so at an orderly end only, so a process that its parent kills
 * calls it when its modules are loaded.
 */
export function keepCompiledCode(): void {
  nodeModule.flushCompileCache?.();
}
