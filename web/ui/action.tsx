/** A button for an asynchronous action: it is busy meanwhile, and a failure becomes a toast. */
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { Button, type ButtonProps } from './button.tsx';
import { attempt } from './toasts.tsx';

interface ActionProps extends Pick<ButtonProps, 'children' | 'icon' | 'tone' | 'disabled'> {
  run(): Promise<unknown>;
  readonly label?: string;
}

export function Action({ run, label, children, ...rest }: ActionProps): JSX.Element {
  const isBusy = useSignal(false);
  const click = async (): Promise<void> => {
    if (isBusy.value) return;
    isBusy.value = true;
    await attempt(run);
    isBusy.value = false;
  };
  return (
    <Button {...rest} aria-busy={isBusy.value} aria-label={label} onClick={() => void click()}>
      {children}
    </Button>
  );
}
