#!/usr/bin/env node
// The entry of the program: says what to do when this Node cannot run it, then hands over to src/cli/main.ts (or its
// build in dist/ when installed as a package, where Node strips no types).
import { existsSync } from 'node:fs';
import * as nodeModule from 'node:module';

const NODE_MAJOR_MIN = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Daybook needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.versions.node}. ` +
      'After npm ci, npm brings the right one: npm start, or npm run -s daybook -- <command>.\n',
  );
  process.exit(2);
}
nodeModule.enableCompileCache?.(new URL('../node_modules/.cache/daybook', import.meta.url).pathname);
const built = new URL('../dist/cli/main.js', import.meta.url);
const source = new URL('../src/cli/main.ts', import.meta.url);
const { main } = await import(existsSync(source) ? source.href : built.href);
await main(process.argv.slice(2));
