/** A button for an asynchronous action: it is busy meanwhile, and a failure becomes a toast. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';
import { attempt } from './toasts.tsx';

interface ActionProps {
  run(): Promise<unknown>;
  readonly children: ComponentChildren;
  readonly icon?: IconName;
  readonly tone?: 'primary' | 'danger' | 'plain';
  readonly disabled?: boolean;
  readonly label?: string;
}

export function Action({ run, children, icon, tone, disabled = false, label }: ActionProps): JSX.Element {
  const isBusy = useSignal(false);
  const click = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(run);
    isBusy.value = false;
  };
  return (
    <button
      type="button"
      class={`button ${tone ?? ''}`}
      disabled={disabled}
      aria-busy={isBusy.value}
      aria-label={label}
      onClick={() => void click()}
    >
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
