/** What the view reads of the settings. */
import { api, type Envelope } from '../../api.ts';
import { resource } from '../../resource.ts';

const about =
  (words: RegExp) =>
  ({ stream }: Envelope): boolean =>
    words.test(stream);

export const models = resource({ load: () => api.models.list(), concerns: () => false });
export const profiles = resource({ load: () => api.harness.listProfiles(), concerns: about(/^settings/) });
export const connectors = resource({ load: () => api.connectors.list(), concerns: about(/^connector/) });
export const plugins = resource({ load: () => api.plugins.catalog(), concerns: about(/^plugin/) });
export const briefing = resource({
  load: async () => (await api.briefing.list({ query: { limit: 1 } })).settings,
  concerns: about(/^(?:briefing|settings)/),
});
export const encryption = resource({ load: () => api.memory.encryption(), concerns: about(/^settings/) });
