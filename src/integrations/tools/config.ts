/** Configuration of the tools. All limits have defaults. */

export interface ToolsConfig extends Partial<ToolLimits> {
  /** Absolute DAYBOOK_HOME. No tool may touch it; it identifies the processes of this daemon. */
  readonly home: string;
  /** The daemon's environment; processes get an allow-listed part. */
  readonly env: NodeJS.ProcessEnv;
}

export interface ToolLimits {
  readonly bashTimeoutSecondsDefault: number;
  readonly bashTimeoutSecondsMax: number;
  /** Bytes that a command may print before it is ended. Fewer are kept. */
  readonly bashPrintedBytesMax: number;
  readonly gitTimeoutSeconds: number;
  /** Bytes of an outcome's text, in UTF-8. */
  readonly outputBytesMax: number;
  /** Bytes of a file that is written, edited or searched. */
  readonly fileBytesMax: number;
  /** Bytes that read_file reads to reach its offset. */
  readonly scanBytesMax: number;
  readonly readLinesMax: number;
  readonly listEntriesMax: number;
  readonly searchSecondsMax: number;
  readonly searchResultsMax: number;
  /** Files visited by one search, or by one walk for changes. */
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
