#!/usr/bin/env node
// The entry point: reports a Node that is too old, then runs the program: the bundle that npm ci made, src/cli/main.ts,
// or its build in dist/ when installed as a package.
import * as nodeModule from 'node:module';
import { pathToFileURL } from 'node:url';
import { bundledMain, CACHE, plainMain } from './fast-start.js';

const NODE_MAJOR_MIN = 24;
const major = Number(process.versions.node.split('.')[0]);
if (major < NODE_MAJOR_MIN) {
  process.stderr.write(
    `Daybook needs Node ${NODE_MAJOR_MIN} or newer; this is ${process.versions.node}. ` +
      'After npm ci, npm brings the right one: npm start, or npm run -s daybook -- <command>.\n',
  );
  process.exit(2);
}
nodeModule.enableCompileCache?.(CACHE);
const { main } = await import(pathToFileURL(bundledMain() ?? plainMain()).href);
await main(process.argv.slice(2));
