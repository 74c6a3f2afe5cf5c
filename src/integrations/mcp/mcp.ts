/**
 * MCP servers behind their port: a probe is a process that launches the server, under the watchdog and the marker that
 * tool processes have too, so that nothing of it is left, whatever it does and however the daemon ends.
 *
 * - The bound holds for everything: waiting for a place, starting, downloading, asking.
 * - The environment is the harmless part of the daemon's own and the launch's secrets; the secrets go to the process
 *   that probes through a pipe.
 * - What comes from a registry is started in a folder of ours: a file of the workspace could stand in for it there.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { type McpLaunch, type McpPort, ProbeRefused, type ProbeResult } from '../../ports/mcp.ts';
import { createSlots } from '../documents/slots.ts';
import { scrubbedEnvironment } from '../tools/environment.ts';
import { type ProcessEnd, runProcess } from '../tools/process.ts';
import { neutralFolder } from './neutral-folder.ts';
import type { ProberOrder } from './prober.ts';

/** All of a probe, as the contract has it. */
export const PROBE_SECONDS_MAX = 45;
const RUNNING_MAX = 4;
const WAITING_MAX = 16;
const PRINTED_BYTES_MAX = 16 * 1024 * 1024;
const HEAP_MEGABYTES_MAX = 256;

const OWN_PROGRAM = fileURLToPath(new URL('../../../bin/daybook.js', import.meta.url));

const zAnswer = z.union([z.object({ tools: z.array(z.string()) }), z.object({ error: z.string() })]);

export interface McpParts {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** A fresh name for the processes of a probe. */
  readonly marker: () => string;
  readonly secondsMax?: number;
}

export function createMcp({ home, env, version, marker, secondsMax = PROBE_SECONDS_MAX }: McpParts): McpPort {
  const slots = createSlots({ runningMax: RUNNING_MAX, waitingMax: WAITING_MAX });
  const closing = new AbortController();
  const running = new Set<Promise<unknown>>();
  const own = { DAYBOOK_HOME: home };

  function orderOf({ program, secrets }: McpLaunch): ProberOrder {
    if (program !== null)
      return { command: program.command, args: [...program.args], secrets: { ...secrets }, version };
    return { command: process.execPath, args: [OWN_PROGRAM, '--mcp-server'], secrets: {}, version };
  }

  async function run(launch: McpLaunch, signal: AbortSignal): Promise<ProbeResult> {
    const late = AbortSignal.timeout(secondsMax * 1_000);
    const given = performance.now();
    const leave = await slots.run(AbortSignal.any([signal, late])).catch((reason: unknown) => {
      if (signal.aborted) throw reason;
      return null;
    });
    if (leave === null) return { state: 'timedout', after_secs: secondsMax };
    try {
      const left = secondsMax - (performance.now() - given) / 1_000;
      return resultOf(await startProber(launch, { seconds: Math.max(0, left), signal }), secondsMax);
    } finally {
      leave();
    }
  }

  function startProber(launch: McpLaunch, { seconds, signal }: { seconds: number; signal: AbortSignal }) {
    const job = {
      command: [process.execPath, `--max-old-space-size=${HEAP_MEGABYTES_MAX}`, fileURLToPath(prober())],
      cwd: launch.cwd ?? neutralFolder(home),
      env: { ...scrubbedEnvironment(env), ...(launch.program === null ? own : {}) },
      marker: marker(),
      input: Readable.from([JSON.stringify(orderOf(launch))]),
      timeoutSeconds: seconds,
      outputBytesMax: PRINTED_BYTES_MAX,
      printedBytesMax: PRINTED_BYTES_MAX,
    };
    return runProcess(job, signal);
  }

  return {
    async probe(launch, signal) {
      const leave = slots.enter();
      if (leave === null) throw new ProbeRefused('Too many connectors are being probed; try again in a moment.');
      const probing = run(launch, AbortSignal.any([signal, closing.signal]));
      running.add(probing);
      try {
        return await probing;
      } finally {
        running.delete(probing);
        leave();
      }
    },
    isInstalled: (program) => isOnPath(program, env.PATH ?? ''),
    async close() {
      closing.abort(new ProbeRefused('The daemon is being stopped.'));
      await Promise.allSettled(running);
    },
  };
}

function resultOf(end: ProcessEnd, secondsMax: number): ProbeResult {
  if (end.kind === 'timed_out') return { state: 'timedout', after_secs: secondsMax };
  if (end.kind === 'not_started') {
    return { state: 'failed', error: 'The server could not be launched: the folder of the workspace is gone.' };
  }
  const answer = zAnswer.safeParse(parsed(end.stdout.head));
  if (!answer.success)
    return {
      state: 'failed',
      error: 'The probe ended without an answer; the server may have sent more than can be read.',
    };
  return 'tools' in answer.data ? { state: 'ok', ...answer.data } : { state: 'failed', ...answer.data };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The published package holds .js files; a checkout runs the .ts ones as they are. */
function prober(): URL {
  const file = import.meta.url.endsWith('.ts') ? './prober.ts' : './prober.js';
  return new URL(file, import.meta.url);
}

function isOnPath(program: string, path: string): boolean {
  return path.split(delimiter).some((folder) => folder !== '' && isProgram(join(folder, program)));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
