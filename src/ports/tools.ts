/** The tools of an agent: a catalogue with approval classes, and single calls. */
import type { Json } from '../events/envelope.ts';
import type { ToolFacts } from '../events/run/events.ts';
import type { ModelTool } from './models.ts';

/**
 * `read` changes nothing, `edit` changes files of the workspace, `execute` may do anything, `control` steers the run
 * itself.
 */
export type ToolClass = ToolFacts['class'];

export interface ToolSpec extends ModelTool {
  readonly class: ToolClass;
  /** Whether a second run has no further effect, so that it may be repeated after a crash. */
  readonly idempotent: boolean;
}

export interface ToolCall {
  /** Unique; names the call in the marker of its processes. */
  readonly callId: string;
  /** The run's session, whose delegate may carry out the call. */
  readonly session?: string;
  readonly name: string;
  readonly input: Json;
  /** Absolute path of the folder that the call is confined to. */
  readonly workspace: string;
  /** Called before an aborted call rejects, with the files that it is known to have changed. */
  readonly onAborted?: (filesModified: readonly string[]) => void;
  /**
   * Called right before each change of a file and each start of a process. Throws when this daemon must stop acting.
   */
  readonly mayChange?: () => void;
}

export interface ToolOutcome {
  readonly success: boolean;
  /** Text for the model; limited, with a note when it was cut. */
  readonly output: string;
  /** Files that the call wrote, relative to the workspace. */
  readonly files_modified: readonly string[];
}

export interface ToolsPort {
  readonly specs: readonly ToolSpec[];
  /**
   * Runs one call to its end. Invalid input, a missing file or a failing command is an outcome with `success: false`,
   * not an error. On abort the whole process group is killed, then the call rejects with the signal's reason.
   */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>;
  /** Kills processes that earlier daemons of this home left behind; returns their number. */
  sweep(): Promise<number>;
  close(): Promise<void>;
}
