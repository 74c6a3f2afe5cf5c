/** The dialogs of the shell, each loaded when it is first opened. */
import { signal, useSignal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { toastFailure } from '../ui/toasts.tsx';

export type OverlayName = 'palette' | 'shortcuts' | 'more' | 'new-run';

export interface OverlayProps {
  onClose(): void;
}

const LOADERS: Readonly<Record<OverlayName, () => Promise<{ readonly Overlay: ComponentType<OverlayProps> }>>> = {
  palette: () => import('./palette.tsx'),
  shortcuts: () => import('./shortcuts.tsx'),
  more: () => import('./more.tsx'),
  'new-run': () => import('../views/runs/new-run.tsx'),
};

const opened = signal<OverlayName | null>(null);

export function openOverlay(name: OverlayName): void {
  opened.value = name;
}

export function Overlays(): JSX.Element | null {
  const name = opened.value;
  const component = useSignal<{ readonly name: OverlayName; readonly Overlay: ComponentType<OverlayProps> } | null>(
    null,
  );
  useEffect(() => {
    if (name === null || component.value?.name === name) return;
    LOADERS[name]().then(({ Overlay }) => {
      component.value = { name, Overlay };
    }, toastFailure);
  }, [name]);
  if (name === null || component.value?.name !== name) return null;
  const { Overlay } = component.value;
  return (
    <Overlay
      onClose={() => {
        if (opened.value === name) opened.value = null;
      }}
    />
  );
}
