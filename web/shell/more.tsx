/** The views that do not fit into a phone's bar, and the settings of the tab. */
import type { JSX } from 'preact';
import { leave } from '../session.ts';
import { text } from '../text.ts';
import { THEMES, theme } from '../theme.ts';
import { Button } from '../ui/button.tsx';
import { Choice } from '../ui/choice.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { VIEWS } from '../views.ts';
import { ConnectionState } from './connection.tsx';
import { ViewLink } from './navigation.tsx';
import type { OverlayProps } from './overlay.ts';

export function Overlay({ onClose }: OverlayProps): JSX.Element {
  return (
    <Dialog title={text.more} isOpen onClose={onClose}>
      {/* biome-ignore lint/a11y: a link of the list closes the dialog. */}
      <nav class="more-views" aria-label={text.navigation} onClick={onClose}>
        {VIEWS.map((view) => (
          <ViewLink key={view.id} view={view} />
        ))}
      </nav>
      <Choice
        label={text.theme.label}
        value={theme.value}
        options={THEMES.map((name) => [name, text.theme[name]])}
        choose={(name) => (theme.value = name)}
      />
      <div class="row-ends">
        <ConnectionState />
        <Button
          onClick={() => {
            onClose();
            leave(text.connect.left);
          }}
        >
          {text.connect.leave}
        </Button>
      </div>
    </Dialog>
  );
}
