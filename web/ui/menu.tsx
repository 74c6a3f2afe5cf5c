/** Actions behind a button. Escape closes them and focuses the button; Tab or a click elsewhere closes them, too. */
import { useSignal } from '@preact/signals';
import type { ComponentChildren, JSX, TargetedFocusEvent, TargetedKeyboardEvent, TargetedToggleEvent } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Icon } from './icon.tsx';

interface MenuProps {
  readonly label: string;
  readonly children: ComponentChildren;
}

export function Menu({ label, children }: MenuProps): JSX.Element {
  const element = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const pressed = ({ target }: PointerEvent): void => {
      if (target instanceof Node) closeUnless(element.current!, target);
    };
    document.addEventListener('pointerdown', pressed);
    return () => document.removeEventListener('pointerdown', pressed);
  }, []);
  /** Whether the actions begin at the beginning of the button; they end at its end where the page has room for that. */
  const isFlipped = useSignal(false);
  const place = ({ currentTarget }: TargetedToggleEvent<HTMLDetailsElement>): void => {
    if (!currentTarget.open) return;
    const { left, right } = currentTarget.lastElementChild!.getBoundingClientRect();
    if (left < 0 || right > document.documentElement.clientWidth) isFlipped.value = !isFlipped.value;
  };
  const closeByKey = (event: TargetedKeyboardEvent<HTMLDetailsElement>): void => {
    const menu = event.currentTarget;
    if (event.key !== 'Escape' || !menu.open) return;
    event.preventDefault();
    menu.open = false;
    menu.querySelector('summary')?.focus();
  };
  const left = ({ currentTarget, relatedTarget }: TargetedFocusEvent<HTMLDetailsElement>): void => {
    if (relatedTarget instanceof Node) closeUnless(currentTarget, relatedTarget);
  };
  return (
    <details ref={element} class="menu" onKeyDown={closeByKey} onFocusOut={left} onToggle={place}>
      <summary class="button">
        {label} <Icon name="down" />
      </summary>
      <div class={`menu-items ${isFlipped.value ? 'flipped' : ''}`}>{children}</div>
    </details>
  );
}

/** The menu stays in the page, so that a dialog which one of the actions opens can return the focus to it. */
function closeUnless(menu: HTMLDetailsElement, to: Node): void {
  const isInDialog = to instanceof Element && to.closest('dialog') !== null;
  if (!menu.contains(to) && !isInDialog) menu.open = false;
}
