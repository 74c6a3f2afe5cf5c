#!/usr/bin/env node
// The entry point. A Node that is too old hands over to the Node that npm installed with the package. Otherwise start()
// runs the program: the bundle that npm ci made, src/cli/main.ts, or its build in dist/ when installed as a package.
import * as nodeModule from 'node:module';
import { cacheFolder, start } from './fast-start.js';
import { handOver } from './own-node.js';

const NODE_MAJOR_MIN = 24;
if (Number(process.versions.node.split('.')[0]) < NODE_MAJOR_MIN) {
  handOver(NODE_MAJOR_MIN);
} else {
  nodeModule.enableCompileCache?.(cacheFolder());
  await start(process.argv.slice(2));
}
