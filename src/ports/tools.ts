/** What Daybook needs of the tools an agent works with: a catalogue with approval classes, and one call at a time. */
import type { Json } from '../events/envelope.ts';
import type { ModelTool } from './models.ts';

/**
 * `read` changes nothing, `edit` changes files of the workspace, `execute` can do anything, `control` only steers the
 * run itself.
 */
export type ToolClass = 'read' | 'edit' | 'execute' | 'control';

export interface ToolSpec extends ModelTool {
  readonly class: ToolClass;
  /** Running it twice is the same as running it once: after a crash it may be repeated. */
  readonly idempotent: boolean;
}

export interface ToolCall {
  /** Names the call for its process marker; unique per call. */
  readonly callId: string;
  /** The run's session; a lender may carry out calls of it. */
  readonly session?: string;
  readonly name: string;
  readonly input: Json;
  /** Absolute path of the workspace the call is confined to. */
  readonly workspace: string;
  /** Told what a call that is aborted had changed, as far as that can be seen, before it rejects. */
  readonly left?: (filesModified: readonly string[]) => void;
}

export interface ToolOutcome {
  readonly success: boolean;
  /** What the model reads; capped, with a note when something was cut. */
  readonly output: string;
  /** Paths relative to the workspace that the call wrote. */
  readonly files_modified: readonly string[];
}

export interface ToolsPort {
  readonly specs: readonly ToolSpec[];
  /**
   * Runs one call to its end. Bad input, a missing file or a failing command is an outcome with `success: false`, never
   * a throw. On abort the whole process group is killed first, then the call rejects with the signal's reason.
   */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>;
  /** Ends what earlier daemons on this home left running; returns how many processes were killed. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}
