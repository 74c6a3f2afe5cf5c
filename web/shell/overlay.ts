/** Which dialog of the shell is open. `overlays.tsx` shows it. */
import { signal } from '@preact/signals';

export type OverlayName = 'palette' | 'shortcuts' | 'more' | 'new-run';

export interface OverlayProps {
  onClose(): void;
  /** Text typed while the dialog was loading; Enter is a line break. */
  readonly typed: string;
}

export const openedOverlay = signal<OverlayName | null>(null);

/** Gets the focus back after the dialog. */
let before: Element | null = null;

export function openOverlay(name: OverlayName): void {
  if (openedOverlay.value === null) before = document.activeElement;
  openedOverlay.value = name;
}

/** The browser returns the focus, but not past the placeholder of a dialog that is being loaded. */
export function giveFocusBack(): void {
  if (document.activeElement === document.body && before instanceof HTMLElement) before.focus();
}
