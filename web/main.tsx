/** The entry of the console: the session, the subscription, and the shell around the views. */
import { render } from 'preact';
import { listenToKeys } from './keys.ts';
import { startLive, stopLive, watchVisibility } from './live.ts';
import { session, start } from './session.ts';
import { Shell } from './shell/shell.tsx';
import { applyTheme } from './theme.ts';

applyTheme();
listenToKeys();
watchVisibility();
render(<Shell />, document.getElementById('app')!);
session.subscribe((state) => {
  if (state === 'in') startLive();
  else stopLive();
});
void start();
