/** The settings of the daemon: their names, types and defaults. `config/load.ts` reads them. */
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import {
  CATALOGUED,
  zAmount,
  zApproval,
  zBackendName,
  zForgeHost,
  zHost,
  zMcpServer,
  zNodeName,
  zPath,
  zPluginName,
  zPort,
  zRate,
  zSwitch,
  zText,
  zTextList,
  zVoiceModel,
  zWhole,
} from './config/fields.ts';
import { isKeyName } from './lib/tlog/signed-note.ts';
import { isPostgresUrl } from './storage/postgres/url.ts';

export const zConfig = z.strictObject({
  /** Folder of all data of the daemon: log in `data/`, views in `views.db`, tokens. */
  home: zText,
  port: zPort.default(7878),
  /** Address to listen on; any but a loopback address needs `allow_remote`. */
  host: zHost.default('127.0.0.1'),
  allow_remote: zSwitch.default(false),
  /** Host names, in addition to the loopback names, that a request's `Host` header may have. */
  allowed_hosts: zTextList.default([]),
  /** Origins, in addition to the loopback origins, whose pages may call the daemon. */
  allowed_origins: zTextList.default([]),
  workspace: zPath,
  backend: zBackendName.optional(),
  /** URL of the PostgreSQL database with the log (docs/postgresql.md); default: the log is in the home. */
  log: zText.refine(isPostgresUrl, 'must be an address such as postgres://user@host/database').optional(),
  /** Name of this daemon among the daemons of its log; default: generated once and kept in the home. */
  node_name: zNodeName.optional(),
  /** Folders whose runs this daemon executes when its log is in a database; default: the workspace. */
  node_workspaces: zTextList.optional(),
  /** Seconds without renewal after which another daemon takes over a lease, and with it the runs. */
  lease_seconds: zAmount({ min: 0.5, max: 300 }).default(4),
  /** File with the bearer token, readable by its owner only; default: a new token at every start. */
  token_file: zPath.optional(),
  /** Certificate and key of HTTPS, as PEM files. */
  tls_cert: zPath.optional(),
  tls_key: zPath.optional(),
  /** Configuration file of the storage; default: `storage.json` in the home, if there is one. */
  storage_config: zPath.optional(),
  /** `off` or 0 disables the storage operations interface. */
  storage_ops_port: z
    .union([z.literal('off'), zPort], { error: 'must be off or a whole number from 0 to 65535' })
    .default(8080),
  provider: zText.optional(),
  model: zText.optional(),
  /** Validated on use: an unknown name fails the requests that need it, not the start of the daemon. */
  embedding_provider: zText.optional(),
  embedding_model: zText.optional(),
  /** Length of the vectors, for models that offer several lengths. */
  embedding_dimensions: zWhole({ min: 1, max: 16_384 }).optional(),
  approval: zApproval.default('suggest'),
  /** Requests per client address and 60 s. */
  rate_authenticated: zRate.default(60),
  rate_public: zRate.default(10),
  webhook_secret: zText.optional(),
  /** Hosts, with or without a port, from which diffs and clones of forge deliveries are fetched. */
  forge_hosts: z
    .array(zForgeHost, { error: 'must be a list of names or addresses' })
    .default(['github.com', 'patch-diff.githubusercontent.com']),
  /** Seconds until an unanswered approval counts as denied. */
  approval_timeout_secs: zAmount({ min: 0.001, max: 604_800 }).default(600),
  /** Agent runs at a time; further runs stay queued. */
  runs_max: zWhole({ min: 1, max: 64 }).default(4),
  /** Seconds without a frame after which a model call is aborted and retried. */
  model_stall_seconds: zAmount({ min: 0.001, max: 3_600 }).default(120),
  /** Plugins that the routes neither disable nor uninstall, in any project. */
  required_plugins: z.array(zPluginName, { error: CATALOGUED }).default([]),
  /** Speech is recognised on this machine if possible, even when the key of a cloud service is set. */
  voice_prefer_local: zSwitch.default(false),
  /** Default language of speech: a language code, or `auto`. */
  voice_language: zText.default('en'),
  /** Model of the local recogniser: the file `models/ggml-<name>.bin` in the home. */
  voice_local_model: zVoiceModel.default('base'),
  /** Memories, facts and drawers are encrypted at rest. It cannot be switched off again. */
  memory_encryption: zSwitch.default(false),
  /** MCP servers that `daybook mcp` lists after the connectors; they override connectors of the same name. */
  mcp_servers: z.record(z.string(), zMcpServer, { error: 'must be an object of servers by name' }).default({}),
  /** Place of the key that signs the log: `file`, `keyring`, or the absolute path of a file. */
  log_key: zPath
    .refine(
      (text) => ['file', 'keyring'].includes(text) || isAbsolute(text),
      'must be file, keyring or an absolute path',
    )
    .default('file'),
  /** Name of the log in its checkpoints; default: derived from the log's id. */
  log_origin: zText.refine(isKeyName, 'must have no spaces, no plus sign and no control characters').optional(),
  /** Witnesses that must cosign a checkpoint; default: more than half of the configured witnesses. */
  witness_quorum: zWhole({ min: 0, max: 15 }).optional(),
  /** The time stamping authority (RFC 3161) of `daybook log timestamp`. */
  timestamp_authority: z.url({ protocol: /^https?$/, error: 'must be an http or https address' }).optional(),
  /** Serves checkpoints and tiles of the log without authentication. */
  tlog_public: zSwitch.default(false),
  /** Log and views are kept in memory only. */
  ephemeral: zSwitch.default(false),
});
export type Config = z.infer<typeof zConfig>;

/** The settings cannot be used. The message has one sentence per fault. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}
