/**
 * Probes MCP servers. A probe is a child process that launches the server, under the watchdog and the marker of tool
 * processes, so that no process of the server survives the probe, nor the daemon.
 *
 * - The time limit includes waiting for a slot, starting, downloading and listing.
 * - The server gets the harmless part of the daemon's environment and the secrets of the launch. The child process gets
 *   the secrets through a pipe.
 * - Servers from the catalogue start in a folder of Daybook: in a workspace, a file could be taken for the package.
 */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { compiledCode } from '../../lib/compiled-code.ts';
import { parsedJson } from '../../lib/json-text.ts';
import { moduleBeside } from '../../lib/module-beside.ts';
import { isProgram, pathFolders } from '../../lib/programs.ts';
import { WorkPool } from '../../lib/work-pool.ts';
import type { McpLaunch, McpPort, ProbeResult } from '../../ports/mcp.ts';
import { PortError } from '../../ports/port-error.ts';
import { type ProcessEnd, runProcess, scrubbedEnvironment } from '../tools/process.ts';
import type { ProbeJob } from './probe-worker.ts';
import { workingDirectory } from './working-directory.ts';

/** Time limit of a probe, from the contract. */
export const PROBE_SECONDS_MAX = 45;
const RUNNING_MAX = 4;
const WAITING_MAX = 16;
const PRINTED_BYTES_MAX = 16 * 1024 * 1024;
const HEAP_MEGABYTES_MAX = 256;

const PROBE_WORKER = fileURLToPath(moduleBeside(import.meta.url, './probe-worker'));
const OWN_PROGRAM = fileURLToPath(new URL('../../../bin/daybook.js', import.meta.url));

const zAnswer = z.union([z.object({ tools: z.array(z.string()) }), z.object({ error: z.string() })]);

/** Why a probe that waits too long for a slot is aborted. */
const LATE = Symbol('late');

export interface McpParts {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly version: string;
  /** A new marker for the processes of a probe. */
  readonly marker: () => string;
  readonly secondsMax?: number;
}

export function createMcp(parts: McpParts): McpPort {
  const { env, secondsMax = PROBE_SECONDS_MAX } = parts;
  const pool = new WorkPool({
    runningMax: RUNNING_MAX,
    waitingMax: WAITING_MAX,
    full: () => new PortError('busy', 'Too many connectors are being probed; try again in a moment.'),
  });

  /** The time limit includes the wait for a slot. */
  async function run(launch: McpLaunch, signal: AbortSignal): Promise<ProbeResult> {
    const late = new AbortController();
    using _timer = setTimeout(() => late.abort(LATE), secondsMax * 1_000);
    const startedAt = performance.now();
    try {
      return await pool.inSlot(AbortSignal.any([signal, late.signal]), async () => {
        const seconds = Math.max(0, secondsMax - (performance.now() - startedAt) / 1_000);
        return resultOf(await startProbe(parts, launch, { seconds, signal }), secondsMax);
      });
    } catch (error) {
      if (error === LATE) return { state: 'timedout', after_secs: secondsMax };
      throw error;
    }
  }

  return {
    probe: (launch, signal) => pool.admit(signal, (either) => run(launch, either)),
    isInstalled: (program) => pathFolders(env.PATH).some((folder) => isProgram(join(folder, program))),
    close: () => pool.close(new PortError('busy', 'The daemon is being stopped.')),
  };
}

function startProbe(
  { home, env, version, marker }: McpParts,
  { program, cwd, secrets }: McpLaunch,
  { seconds, signal }: { readonly seconds: number; readonly signal: AbortSignal },
): Promise<ProcessEnd> {
  const job: ProbeJob =
    program === null
      ? { command: process.execPath, args: [OWN_PROGRAM, '--mcp-server'], secrets: {}, version }
      : { command: program.command, args: [...program.args], secrets: { ...secrets }, version };
  return runProcess(
    {
      command: [process.execPath, `--max-old-space-size=${HEAP_MEGABYTES_MAX}`, PROBE_WORKER],
      cwd: cwd ?? workingDirectory(home),
      env: { ...scrubbedEnvironment(env), ...compiledCode(), ...(program === null ? { DAYBOOK_HOME: home } : {}) },
      marker: marker(),
      input: Readable.from([JSON.stringify(job)]),
      timeoutSeconds: seconds,
      outputBytesMax: PRINTED_BYTES_MAX,
      printedBytesMax: PRINTED_BYTES_MAX,
    },
    signal,
  );
}

function resultOf(end: ProcessEnd, secondsMax: number): ProbeResult {
  if (end.kind === 'timed_out') return { state: 'timedout', after_secs: secondsMax };
  if (end.kind === 'not_started') {
    return { state: 'failed', error: `The server could not be launched: ${end.fault}.` };
  }
  const answer = zAnswer.safeParse(parsedJson(end.stdout.head));
  if (!answer.success)
    return {
      state: 'failed',
      error: 'The probe ended without an answer; the server may have sent more than can be read.',
    };
  return 'tools' in answer.data ? { state: 'ok', ...answer.data } : { state: 'failed', ...answer.data };
}
