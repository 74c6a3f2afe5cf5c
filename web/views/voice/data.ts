/** The speech programs of the daemon's machine, and their settings. */
import { api } from '../../api.ts';
import { resource } from '../../resource.ts';

export const settings = resource({
  load: () => api.voice.settings(),
  concerns: ({ stream }) => stream === 'settings-voice',
});

export const status = resource({
  load: () => api.voice.status(),
  concerns: ({ stream }) => stream === 'settings-voice',
});
