/** The frame of the page: navigation, the state of the connection, the view, dialogs and messages. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useShortcuts } from '../keys.ts';
import { go, route } from '../router.ts';
import { session } from '../session.ts';
import { text } from '../text.ts';
import { Toasts } from '../ui/toasts.tsx';
import { VIEWS } from '../views.ts';
import { Connect } from './connect.tsx';
import { CutBanner, LimitBanner } from './connection.tsx';
import { BottomBar, Sidebar } from './navigation.tsx';
import { openOverlay } from './overlay.ts';
import { Overlays } from './overlays.tsx';
import { CurrentView } from './view-loader.tsx';

export function Shell(): JSX.Element {
  if (session.value === 'starting') {
    return (
      <main class="starting" aria-busy="true">
        <LimitBanner />
      </main>
    );
  }
  if (session.value === 'out') {
    return (
      <>
        <Connect />
        <Toasts />
      </>
    );
  }
  return <Inside />;
}

function Inside(): JSX.Element {
  const main = useRef<HTMLElement>(null);
  const visited = useSignal(route.value.path[0]);
  useShortcuts(text.shortcuts.global, [
    { keys: 'Mod+k', label: text.shortcuts.palette, run: () => openOverlay('palette') },
    { keys: '?', label: text.shortcuts.help, run: () => openOverlay('shortcuts') },
    { keys: 'c', label: text.shortcuts.newRun, run: () => openOverlay('new-run') },
    ...VIEWS.map(({ id, key }) => ({
      keys: `g ${key}`,
      label: text.shortcuts.goTo(text.views[id].name),
      run: () => go([id]),
    })),
  ]);
  const view = route.value.path[0];
  useLayoutEffect(() => {
    if (visited.value !== view) main.current?.focus({ preventScroll: true });
    visited.value = view;
  }, [view]);
  return (
    <div class="shell">
      <button type="button" class="skip button" onClick={() => main.current?.focus()}>
        {text.skip}
      </button>
      <Sidebar />
      <main ref={main} class="main" tabIndex={-1}>
        <CutBanner />
        <CurrentView />
      </main>
      <BottomBar />
      <Overlays />
      <Toasts />
    </div>
  );
}
