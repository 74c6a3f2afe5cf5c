/** What route handlers are given: the parts of the running daemon, each behind its narrow interface. */
import type { Config } from '../config.ts';
import type { Ambient } from '../ports/ambient.ts';
import type { CodeIndexPort } from '../ports/code-index.ts';
import type { ToolDelegates } from '../ports/delegates.ts';
import type { EmbeddersPort } from '../ports/embedder.ts';
import type { EvidenceFiles } from '../ports/evidence-files.ts';
import type { GitPort } from '../ports/git.ts';
import type { McpPort } from '../ports/mcp.ts';
import type { ModelsPort } from '../ports/models.ts';
import type { OfficePort } from '../ports/office.ts';
import type { PdfPort } from '../ports/pdf.ts';
import type { PluginFiles } from '../ports/plugins.ts';
import type { SecretVault } from '../ports/secret-vault.ts';
import type { SecretStore } from '../ports/secrets.ts';
import type { SkillsPort } from '../ports/skills.ts';
import type { SpeechPort } from '../ports/speech.ts';
import type { ToolsPort } from '../ports/tools.ts';
import type { Views } from '../projections/views.ts';
import type { IndexProgress } from '../reactors/index-progress.ts';
import type { EventLog } from '../storage/event-log.ts';
import type { StorageControl } from '../storage/ops/control.ts';
import type { CommandHandler } from '../streams/command-handler.ts';
import type { Feed } from '../streams/feed.ts';
import type { Projector } from '../streams/projector.ts';
import type { Tails } from '../streams/tails.ts';
import type { MemoryKeeper } from './memory/keeper.ts';
import type { MemoryVectors } from './memory/provider-vectors/vectors.ts';
import type { Rooms } from './rooms/rooms.ts';

export const SERVICE_NAME = 'daybook';

export interface House {
  readonly config: Config;
  readonly version: string;
  readonly ambient: Ambient;
  readonly log: EventLog;
  readonly views: Views;
  readonly projector: Projector;
  readonly dispatcher: CommandHandler;
  readonly feed: Feed;
  readonly tails: Tails;
  readonly models: ModelsPort;
  readonly embedders: EmbeddersPort;
  readonly codeIndex: CodeIndexPort;
  readonly indexProgress: IndexProgress;
  readonly tools: ToolsPort;
  readonly delegates: ToolDelegates;
  readonly skills: SkillsPort;
  readonly plugins: PluginFiles;
  readonly git: GitPort;
  readonly memory: MemoryKeeper;
  readonly memoryVectors: MemoryVectors;
  readonly secrets: SecretStore;
  /** What was given to us to keep: credentials of connectors. */
  readonly vault: SecretVault;
  readonly mcp: McpPort;
  readonly office: OfficePort;
  readonly pdf: PdfPort;
  readonly speech: SpeechPort;
  readonly evidenceFiles: EvidenceFiles;
  readonly rooms: Rooms;
  /** The bearer token; only the door and the pairing exchange look at it. */
  readonly token: string;
  readonly startedAt: number;
  /** The port that is served, known once listening. */
  port(): number;
  /** null when the views hold everything; otherwise why they cannot be read, for a 503. */
  viewsUnavailable(): string | null;
  /** Folds the log into new views; resolves when they can be read again. */
  rebuildViews(): Promise<void>;
  /** Where the storage lives and how it does, for `/health`. */
  storage(): { readonly backend: string; readonly failure: string | null };
  /** What only the holder of the store can do: backup, compaction, cache. */
  readonly storageControl: StorageControl;
  /** A line on the daemon's stderr. */
  announce(line: string): void;
  /** Aborts when the daemon stops and has waited long enough: what is still being answered ends with an error now. */
  readonly closing: AbortSignal;
}
