/** The links to the views: a bar at the side, or at the bottom of a phone. */
import type { JSX } from 'preact';
import { keyNames } from '../keys.ts';
import { href, route } from '../router.ts';
import { text } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { VIEWS, type ViewDefinition } from '../views.ts';
import { ConnectionState } from './connection.tsx';
import { openOverlay } from './overlay.ts';

const currentView = (): string => route.value.path[0] ?? 'now';

export function ViewLink({ view }: { readonly view: ViewDefinition }): JSX.Element {
  const isCurrent = currentView() === view.id;
  return (
    <a href={href([view.id])} aria-current={isCurrent ? 'page' : undefined} title={text.views[view.id].hint}>
      <Icon name={view.icon} />
      <span>{text.views[view.id].name}</span>
    </a>
  );
}

export function Sidebar(): JSX.Element {
  return (
    <div class="side">
      <div class="sidebar">
        <p class="brand">{text.app}</p>
        <button type="button" class="search-button" onClick={() => openOverlay('palette')}>
          <Icon name="search" />
          <span>{text.palette.title}</span>
          <kbd>{keyNames('Mod+k').flat().join(' ')}</kbd>
        </button>
        <nav aria-label={text.navigation}>
          {VIEWS.map((view) => (
            <ViewLink key={view.id} view={view} />
          ))}
        </nav>
        <div class="sidebar-foot">
          <ConnectionState />
          <Button tone="plain" aria-label={text.shortcuts.title} onClick={() => openOverlay('shortcuts')}>
            <kbd>?</kbd>
          </Button>
        </div>
      </div>
    </div>
  );
}

export function BottomBar(): JSX.Element {
  const isInMore = VIEWS.some(({ id, isInBar }) => id === currentView() && !isInBar);
  return (
    <nav class="bottom-bar" aria-label={text.navigation}>
      {VIEWS.filter(({ isInBar }) => isInBar).map((view) => (
        <ViewLink key={view.id} view={view} />
      ))}
      <button type="button" onClick={() => openOverlay('palette')}>
        <Icon name="search" />
        <span>{text.palette.short}</span>
      </button>
      <button type="button" aria-current={isInMore ? 'true' : undefined} onClick={() => openOverlay('more')}>
        <Icon name="more" />
        <span>{text.more}</span>
      </button>
    </nav>
  );
}
