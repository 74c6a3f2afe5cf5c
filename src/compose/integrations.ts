/** Creates the integrations with outside systems, each behind its port. */
import type { RunRecording } from '../commands/run/recording.ts';
import { requestHash } from '../commands/run/request.ts';
import { createCodeIndex } from '../integrations/code-index/code-index.ts';
import { createEmbedders } from '../integrations/embedders/embedders.ts';
import { createEvidenceFiles } from '../integrations/evidence/evidence-files.ts';
import { createForge } from '../integrations/forge/forge.ts';
import { createGit } from '../integrations/git/git.ts';
import { createKeyring } from '../integrations/keyring/keyring.ts';
import { createMcp } from '../integrations/mcp/mcp.ts';
import { createModels, modelTrouble } from '../integrations/models/models.ts';
import { REPLAY_PROVIDER, withReplay } from '../integrations/models/replay.ts';
import { createOffice } from '../integrations/office/office.ts';
import { createPdf } from '../integrations/pdf/pdf.ts';
import { createPlugins } from '../integrations/plugins/plugins.ts';
import { createSkills } from '../integrations/skills.ts';
import { createSpeech } from '../integrations/speech/speech.ts';
import { confine } from '../integrations/tools/confine.ts';
import { withDelegates } from '../integrations/tools/delegates.ts';
import { createTools } from '../integrations/tools/tools.ts';
import { createTextCipher, keyFromPassphrase } from '../integrations/vault/text-cipher.ts';
import { createSecretVault } from '../integrations/vault/vault.ts';
import type { ModelChoice, ModelsPort } from '../ports/models.ts';
import { localVector } from '../projections/recall/vector.ts';
import type { System } from './system.ts';

export type Integrations = ReturnType<typeof createIntegrations>;

/** The recording of a finished run, by the id of the run. */
export type Recording = (id: string) => RunRecording | undefined;

interface Parts extends System {
  readonly recording: Recording;
  /** Replaces the configured model providers. */
  readonly models?: ModelsPort | undefined;
}

export function createIntegrations({ config, env, clock, ids, version, recording, models: replacement }: Parts) {
  const { home, ephemeral } = config;
  const keyring = createKeyring();
  const models = replacement ?? createModels({ env, provider: config.provider, model: config.model });
  const embedders = createEmbedders({
    env,
    provider: config.embedding_provider,
    model: config.embedding_model,
    dimensions: config.embedding_dimensions,
    localVector,
  });
  return {
    models: withReplay(models, { recording, hash: requestHash }),
    embedders,
    ...withDelegates(createTools({ home, env })),
    secrets: keyring,
    vault: createSecretVault({
      home: ephemeral ? null : home,
      keyring,
      passphrase: env.DAYBOOK_VAULT_PASSPHRASE,
      cipher: createTextCipher,
      stretch: keyFromPassphrase,
    }),
    mcp: createMcp({ home, env, version, marker: () => `probe-${ids.uuid()}` }),
    forge: createForge({ hosts: config.forge_hosts, home, env }),
    codeIndex: createCodeIndex(config, embedders),
    skills: createSkills(config.workspace),
    plugins: createPlugins(config),
    git: createGit(env),
    evidenceFiles: createEvidenceFiles({ home }),
    office: createOffice({ home, env, now: () => clock.now(), ephemeral }),
    pdf: createPdf({ home }),
    speech: createSpeech({
      home,
      env,
      newId: () => ids.uuid(),
      localModel: config.voice_local_model,
    }),
  };
}

/** Warnings about settings that are valid one by one, but with which every run would fail. */
export async function troubles(
  { config, env, models: replacement }: Pick<Parts, 'config' | 'env' | 'models'>,
  configured: ModelChoice,
): Promise<readonly string[]> {
  const usesProvider = replacement === undefined && configured.provider !== REPLAY_PROVIDER;
  const model = usesProvider ? modelTrouble(configured, env) : null;
  const access = await confine(config, config.workspace, 'write');
  return [
    ...(model === null ? [] : [`No model answers until this is mended: ${model}`]),
    ...(access.ok ? [] : [`No tool works in the workspace until another is set: ${access.reason}`]),
  ];
}
