/** The data of the settings. */
import { api } from '../../api.ts';
import { ofCategory, resource } from '../../resource.ts';

/** For what changes without an event: by a restart of the daemon with other settings, or by a daily backup. */
export const SETTINGS_EVERY_MS = 60_000;

/** The models, and the configured providers: a request for another provider is answered by the one in use. */
export const models = resource({
  load: async () => {
    const [{ models: known }, { providers }] = await Promise.all([api.models.list(), api.health.get()]);
    return { models: known, configured: providers.names };
  },
  concerns: () => false,
});
export const profiles = resource({ load: () => api.harness.listProfiles(), concerns: ofCategory('settings') });
export const connectors = resource({ load: () => api.connectors.list(), concerns: ofCategory('connector') });
export const plugins = resource({ load: () => api.plugins.catalog(), concerns: ofCategory('plugin') });
export const briefing = resource({
  load: async () => (await api.briefing.list({ query: { limit: 1 } })).settings,
  concerns: ofCategory('briefing', 'briefing_turn', 'settings'),
});
/** From the newest sample. */
export const backups = resource({
  load: async () => (await api.metrics.history({ query: { points: 1 } })).backups,
  concerns: () => false,
});
export const encryption = resource({ load: () => api.memory.encryption(), concerns: ofCategory('settings') });
