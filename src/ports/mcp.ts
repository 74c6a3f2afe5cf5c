/** MCP servers as programs: launches one and lists its tools. */

export interface McpLaunch {
  /** null: Daybook itself, as an MCP server. */
  readonly program: { readonly command: string; readonly args: readonly string[] } | null;
  /** Working directory; null for an empty folder of Daybook. */
  readonly cwd: string | null;
  /** Environment variables in addition to the harmless part of the daemon's; every value is a secret. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type ProbeResult =
  | { readonly state: 'ok'; readonly tools: readonly string[] }
  /** The text contains no secret of the launch. */
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'timedout'; readonly after_secs: number };

export interface McpPort {
  /**
   * Launches the server, lists its tools and ends it. Failures of the server are results; when the result is there, no
   * process of the launch is alive. Rejects with `PortError` or the signal's reason.
   */
  probe(launch: McpLaunch, signal: AbortSignal): Promise<ProbeResult>;
  /** Whether a program of this name is on the PATH. */
  isInstalled(program: string): boolean;
  close(): Promise<void>;
}
