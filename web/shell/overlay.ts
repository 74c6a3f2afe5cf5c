/** Which dialog of the shell is open. `overlays.tsx` shows it. */
import { signal } from '@preact/signals';

export type OverlayName = 'palette' | 'shortcuts' | 'more' | 'new-run';

export interface OverlayProps {
  onClose(): void;
  /** What was written while the dialog was loaded; Enter is a line break. */
  readonly typed: string;
}

export const openedOverlay = signal<OverlayName | null>(null);

/** Has the focus again after the dialog. */
let before: Element | null = null;

export function openOverlay(name: OverlayName): void {
  if (openedOverlay.value === null) before = document.activeElement;
  openedOverlay.value = name;
}

/** The browser gives the focus back, but not past the dialog that stands for one which is being loaded. */
export function giveFocusBack(): void {
  if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
}
