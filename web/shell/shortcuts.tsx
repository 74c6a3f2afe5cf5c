/** The shortcuts that are currently active. */
import { Fragment, type JSX } from 'preact';
import { groups, keyNames } from '../keys.ts';
import { text } from '../text.ts';
import { Dialog } from '../ui/dialog.tsx';
import type { OverlayProps } from './overlay.ts';

export function Overlay({ onClose }: OverlayProps): JSX.Element {
  return (
    <Dialog title={text.shortcuts.title} isOpen onClose={onClose}>
      {groups.value.map(({ title, shortcuts }) => (
        <section key={title}>
          <h3>{title}</h3>
          <dl class="shortcuts">
            {shortcuts.map(({ keys, label }) => (
              <div key={keys}>
                <dt>{label}</dt>
                <dd>
                  <Keys of={keys} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Dialog>
  );
}

function Keys({ of }: { readonly of: string }): JSX.Element {
  return (
    <>
      {keyNames(of).map((stroke, index) => (
        <Fragment key={index}>
          {index > 0 && <span class="quiet"> {text.shortcuts.thenKey} </span>}
          {stroke.map((key) => (
            <kbd key={key}>{key}</kbd>
          ))}
        </Fragment>
      ))}
    </>
  );
}
