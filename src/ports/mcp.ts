/** MCP servers as programs that can be launched: what one offers, asked of it once. */

export interface McpLaunch {
  /** null: this program itself, as its own MCP server. */
  readonly program: { readonly command: string; readonly args: readonly string[] } | null;
  /** Where it is started; null: in a folder without anybody's files. */
  readonly cwd: string | null;
  /** What it gets beside the harmless part of the daemon's environment. Every value is a secret. */
  readonly secrets: Readonly<Record<string, string>>;
}

export type ProbeResult =
  | { readonly state: 'ok'; readonly tools: readonly string[] }
  /** Holds no secret of the launch. */
  | { readonly state: 'failed'; readonly error: string }
  | { readonly state: 'timedout'; readonly after_secs: number };

/** No probe now: too many run and wait already, or the daemon stops. */
export class ProbeRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProbeRefused';
  }
}

export interface McpPort {
  /**
   * Launches the server, lists its tools and ends it. Whatever the server does is a result; when it is there, nothing
   * that was launched is alive. Rejects with `ProbeRefused`, or with the signal's reason.
   */
  probe(launch: McpLaunch, signal: AbortSignal): Promise<ProbeResult>;
  /** Whether a program is there to be launched. */
  isInstalled(program: string): boolean;
  close(): Promise<void>;
}
