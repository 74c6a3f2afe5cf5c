/** Runs before the end-to-end tests: bundles the program, as `npm ci` does, so that its processes start fast. */
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';

export default function setup(): void {
  execFileSync(process.execPath, [resolve('bin/warm.js')]);
}
