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
  requestThisMachineDirectly(process.env);
  await start(process.argv.slice(2));
}

/**
 * A proxy from the environment would get requests to this machine, too, with the token of the daemon.
 *
 * @param {NodeJS.ProcessEnv} env
 */
function requestThisMachineDirectly(env) {
  if (env.NODE_USE_ENV_PROXY === undefined) return;
  // Node reads NO_PROXY only where there is no no_proxy.
  const name = env.no_proxy === undefined ? 'NO_PROXY' : 'no_proxy';
  // As one name of several, Node's fetch takes * for a host of this name.
  if (env[name]?.trim() !== '*') env[name] = `${env[name] ?? ''},localhost,127.0.0.1,[::1]`;
}
