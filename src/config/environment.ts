/** Settings in the environment. */
import type { Config } from '../config.ts';

/** Variables of each setting; the first that is set counts. */
const ENVIRONMENT: Readonly<Partial<Record<keyof Config, readonly string[]>>> = {
  port: ['DAYBOOK_DAEMON_PORT', 'ASSISTANT_DAEMON_PORT'],
  host: ['DAYBOOK_HOST'],
  allow_remote: ['DAYBOOK_ALLOW_REMOTE'],
  workspace: ['DAYBOOK_WORKSPACE'],
  backend: ['DAYBOOK_PERSISTENCE_BACKEND'],
  log: ['DAYBOOK_LOG'],
  node_name: ['DAYBOOK_NODE_NAME'],
  lease_seconds: ['DAYBOOK_LEASE_SECONDS'],
  token_file: ['DAYBOOK_TOKEN_FILE'],
  tls_cert: ['DAYBOOK_TLS_CERT'],
  tls_key: ['DAYBOOK_TLS_KEY'],
  storage_config: ['DAYBOOK_STORAGE_CONFIG'],
  storage_ops_port: ['DAYBOOK_STORAGE_OPS_PORT'],
  provider: ['DAYBOOK_PROVIDER'],
  model: ['DAYBOOK_MODEL'],
  embedding_provider: ['DAYBOOK_EMBEDDING_PROVIDER'],
  embedding_model: ['DAYBOOK_EMBEDDING_MODEL'],
  embedding_dimensions: ['DAYBOOK_EMBEDDING_DIMENSIONS'],
  approval: ['DAYBOOK_APPROVAL'],
  rate_authenticated: ['DAYBOOK_RATE_AUTHENTICATED'],
  rate_public: ['DAYBOOK_RATE_PUBLIC'],
  webhook_secret: ['DAYBOOK_WEBHOOK_SECRET'],
  approval_timeout_secs: ['DAYBOOK_APPROVAL_TIMEOUT_SECS'],
  runs_max: ['DAYBOOK_RUNS_MAX'],
  model_stall_seconds: ['DAYBOOK_MODEL_STALL_SECONDS'],
  voice_prefer_local: ['DAYBOOK_VOICE_PREFER_LOCAL'],
  voice_language: ['DAYBOOK_VOICE_LANGUAGE'],
  voice_local_model: ['DAYBOOK_VOICE_LOCAL_MODEL'],
  memory_encryption: ['DAYBOOK_MEMORY_ENCRYPTION'],
  log_key: ['DAYBOOK_LOG_KEY'],
  log_origin: ['DAYBOOK_LOG_ORIGIN'],
  tlog_public: ['DAYBOOK_TLOG_PUBLIC'],
  witness_quorum: ['DAYBOOK_WITNESS_QUORUM'],
  timestamp_authority: ['DAYBOOK_TIMESTAMP_AUTHORITY'],
};

/** Variables that hold lists, separated by commas. */
const ENVIRONMENT_LISTS = {
  allowed_hosts: 'DAYBOOK_ALLOWED_HOSTS',
  allowed_origins: 'DAYBOOK_ALLOWED_ORIGINS',
  forge_hosts: 'DAYBOOK_FORGE_HOSTS',
  node_workspaces: 'DAYBOOK_NODE_WORKSPACES',
} as const;

interface EnvironmentSettings {
  readonly values: Readonly<Record<string, unknown>>;
  /** The variable that each value comes from. */
  readonly names: Readonly<Record<string, string>>;
}

/** Variables that are empty count as unset. */
export function readEnvironment(env: NodeJS.ProcessEnv): EnvironmentSettings {
  const values: Record<string, unknown> = {};
  const names: Record<string, string> = {};
  for (const [setting, variables] of Object.entries(ENVIRONMENT)) {
    const name = variables.find((variable) => (env[variable] ?? '') !== '');
    if (name === undefined) continue;
    values[setting] = env[name];
    names[setting] = name;
  }
  for (const [setting, name] of Object.entries(ENVIRONMENT_LISTS)) {
    const text = env[name];
    if (text === undefined || text === '') continue;
    values[setting] = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    names[setting] = name;
  }
  return { values, names };
}
