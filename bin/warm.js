// `npm ci` ends with this: it loads the daemon's modules once, so that even the first start finds them compiled. Only a
// convenience: where it cannot run, nothing is missing.
import * as nodeModule from 'node:module';

const [major = 0] = process.versions.node.split('.').map(Number);
if (major >= 24) {
  nodeModule.enableCompileCache(new URL('../node_modules/.cache/daybook', import.meta.url).pathname);
  try {
    await import('../src/cli/main.ts');
    await import('../src/cli/serve.ts');
    await import('../src/daemon.ts');
  } catch {
    process.exitCode = 0;
  }
}
