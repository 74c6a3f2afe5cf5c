/**
 * Short messages at the edge of the screen, announced by screen readers. They disappear by themselves; failures stay
 * longer.
 */
import { signal } from '@preact/signals';
import type { JSX } from 'preact';
import { sentenceOf } from '../resource.ts';
import { text } from '../text.ts';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';

interface Toast {
  readonly id: number;
  readonly words: string;
  readonly tone: 'good' | 'bad';
}

const SHOWN_MS = { good: 4_000, bad: 12_000 } as const;
const TOASTS_MAX = 4;

const shown = signal<readonly Toast[]>([]);
let last = 0;

export function toast(words: string, tone: Toast['tone'] = 'good'): void {
  last += 1;
  const id = last;
  shown.value = [...shown.value, { id, words, tone }].slice(-TOASTS_MAX);
  setTimeout(() => dismiss(id), SHOWN_MS[tone]);
}

export function toastFailure(error: unknown): void {
  toast(sentenceOf(error as Error, text), 'bad');
}

/** Runs an action of the user; a failure is shown. */
export async function attempt(work: () => Promise<unknown>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    toastFailure(error);
    return false;
  }
}

function dismiss(id: number): void {
  shown.value = shown.value.filter((each) => each.id !== id);
}

export function Toasts(): JSX.Element {
  return (
    <div class="toasts" aria-live="polite" role="status">
      {shown.value.map(({ id, words, tone }) => (
        <div key={id} class={`toast ${tone}`}>
          <Icon name={tone === 'good' ? 'check' : 'warning'} />
          <p dir="auto">{words}</p>
          <Button tone="plain" icon="close" aria-label={text.close} onClick={() => dismiss(id)} />
        </div>
      ))}
    </div>
  );
}
