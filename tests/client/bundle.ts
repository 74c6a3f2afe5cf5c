/** Bundles a module with its imports into one script, as a browser loads it. */
import { rolldown } from 'rolldown';

export interface Bundle {
  readonly code: string;
  /** Modules that the script leaves to its surroundings. */
  readonly imports: readonly string[];
}

export async function bundled(
  input: string,
  options: { readonly format: 'iife' | 'esm'; readonly minify?: boolean; readonly external?: readonly string[] },
): Promise<Bundle> {
  const { format, minify = false, external = [] } = options;
  const bundle = await rolldown({ input, platform: 'browser', external: [...external], logLevel: 'silent' });
  const { output } = await bundle.generate({ format, minify, name: 'bundled', codeSplitting: false });
  await bundle.close();
  return { code: output[0].code, imports: [...output[0].imports, ...output[0].dynamicImports] };
}
