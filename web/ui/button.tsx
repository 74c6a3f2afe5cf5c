/** A button. It submits no form unless `type` says so. */
import type { ButtonHTMLAttributes, JSX } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export interface ButtonProps extends Omit<ButtonHTMLAttributes<HTMLButtonElement>, 'icon'> {
  readonly tone?: 'primary' | 'danger' | 'plain' | undefined;
  /** Before the words, or instead of them. */
  readonly icon?: IconName | undefined;
}

export function Button({ tone, icon, type = 'button', children, ...rest }: ButtonProps): JSX.Element {
  return (
    <button type={type} class={tone === undefined ? 'button' : `button ${tone}`} {...rest}>
      {icon && <Icon name={icon} />}
      {children}
    </button>
  );
}
