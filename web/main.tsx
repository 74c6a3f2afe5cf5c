/** The entry of the console: the session, the subscription, and the shell around the views. */
import { render } from 'preact';
import { startClock } from './format.ts';
import { listenToKeys } from './keys.ts';
import { pause } from './lib/pause.ts';
import { startLive, stopLive, watchVisibility } from './live.ts';
import { session, start } from './session.ts';
import { keepFocus } from './shell/focus.ts';
import { Shell } from './shell/shell.tsx';
import { loadCurrent } from './shell/view-loader.tsx';
import { applyDirection, applyTheme } from './theme.ts';

/** How long the frame of the page waits for the view. */
const VIEW_MS_MAX = 150;

applyTheme();
applyDirection();
startClock();
listenToKeys();
keepFocus();
watchVisibility();
session.subscribe((state) => {
  if (state === 'in') startLive();
  else stopLive();
});
void start();
// The first view is loaded with the page; any other view is painted when it is loaded.
void Promise.race([loadCurrent(), pause(VIEW_MS_MAX)]).then(() => render(<Shell />, document.getElementById('app')!));
