/** The dialogs of the shell, each loaded when it is first opened. Text typed while it is loading is passed to it. */
import { type Signal, signal, useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect } from 'preact/hooks';
import { connection, hasBegun } from '../live.ts';
import { text } from '../text.ts';
import { Dialog } from '../ui/dialog.tsx';
import { toast } from '../ui/toasts.tsx';
import { giveFocusBack, type OverlayName, type OverlayProps, openedOverlay } from './overlay.ts';

const LOADERS: Readonly<Record<OverlayName, () => Promise<{ readonly Overlay: ComponentType<OverlayProps> }>>> = {
  palette: () => import('./palette.tsx'),
  shortcuts: () => import('./shortcuts.tsx'),
  more: () => import('./more.tsx'),
  'new-run': () => import('../views/runs/new-run.tsx'),
};

/** Nothing is shown for this long: most dialogs are loaded sooner. */
const SHOWN_AFTER_MS = 150;

const loaded = signal<ReadonlyMap<OverlayName, ComponentType<OverlayProps>>>(new Map());

function load(name: OverlayName): void {
  if (loaded.value.has(name)) return;
  LOADERS[name]().then(
    ({ Overlay }) => {
      loaded.value = new Map([...loaded.value, [name, Overlay]]);
    },
    () => {
      openedOverlay.value = null;
      toast(connection.value.state === 'cut' ? text.chunkAway : text.chunkFailed, 'bad');
    },
  );
}

export function Overlays(): JSX.Element | null {
  const name = openedOverlay.value;
  const typed = useSignal('');
  useLayoutEffect(() => {
    typed.value = '';
    if (name !== null) load(name);
    else giveFocusBack();
  }, [name]);
  if (name === null) return null;
  const close = (): void => {
    if (openedOverlay.value === name) openedOverlay.value = null;
  };
  const Overlay = loaded.value.get(name);
  if (Overlay === undefined || !hasBegun.value) return <Loading key={name} typed={typed} onClose={close} />;
  return <Overlay key={name} typed={typed.value} onClose={close} />;
}

interface LoadingProps {
  readonly typed: Signal<string>;
  onClose(): void;
}

/** Has the focus from the beginning. */
function Loading({ typed, onClose }: LoadingProps): JSX.Element {
  const isShown = useSignal(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      isShown.value = true;
    }, SHOWN_AFTER_MS);
    return () => clearTimeout(timer);
  }, []);
  return (
    <Dialog title={text.loading} isOpen hidesTitle class={isShown.value ? '' : 'loading'} onClose={onClose}>
      <textarea
        rows={1}
        aria-label={text.loading}
        onInput={(event) => {
          typed.value = event.currentTarget.value;
        }}
      />
    </Dialog>
  );
}
