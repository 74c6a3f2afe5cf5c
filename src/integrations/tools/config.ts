/** What the composition root may decide about the tools, with a default for all but the home and the environment. */

export interface ToolsConfig extends Partial<ToolLimits> {
  /** Absolute DAYBOOK_HOME: no tool may touch it, and it names this daemon's processes. */
  readonly home: string;
  /** The daemon's environment; processes get an allow-listed part of it. */
  readonly env: NodeJS.ProcessEnv;
}

export interface ToolLimits {
  readonly bashTimeoutSecondsDefault: number;
  readonly bashTimeoutSecondsMax: number;
  /** What a command may print before it is ended; more than what is kept of it. */
  readonly bashPrintedBytesMax: number;
  readonly gitTimeoutSeconds: number;
  /** Of one outcome's text, in UTF-8. */
  readonly outputBytesMax: number;
  /** Of a file that is written or edited, and of one that a search looks into. */
  readonly fileBytesMax: number;
  /** How far read_file looks into a file to reach its offset. */
  readonly scanBytesMax: number;
  readonly readLinesMax: number;
  readonly listEntriesMax: number;
  readonly searchSecondsMax: number;
  readonly searchResultsMax: number;
  /** Files looked at by one search, or by one look for what a command changed. */
  readonly walkFilesMax: number;
}

export type ToolsSettings = ToolsConfig & ToolLimits;

export const DEFAULT_LIMITS: ToolLimits = {
  bashTimeoutSecondsDefault: 120,
  bashTimeoutSecondsMax: 600,
  bashPrintedBytesMax: 64 * 1024 * 1024,
  gitTimeoutSeconds: 30,
  outputBytesMax: 32 * 1024,
  fileBytesMax: 8 * 1024 * 1024,
  scanBytesMax: 64 * 1024 * 1024,
  readLinesMax: 2_000,
  listEntriesMax: 1_000,
  searchSecondsMax: 10,
  searchResultsMax: 200,
  walkFilesMax: 50_000,
};
