/** Settings: models, connectors, plugins, the briefing, encryption. */
import type { JSX } from 'preact';
import { href, type ViewProps } from '../../router.ts';
import { text as all } from '../../text.ts';
import { Head } from '../../ui/head.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { BriefingPart } from './briefing.tsx';
import { ConnectorsPart } from './connectors.tsx';
import { ModelsPart } from './models.tsx';
import { PluginsPart } from './plugins.tsx';
import { SafetyPart } from './safety.tsx';

const text = all.settings;
const PARTS = ['models', 'connectors', 'plugins', 'briefing', 'safety'] as const;

export function View({ path }: ViewProps): JSX.Element {
  const part = PARTS.find((each) => each === path[0]) ?? 'models';
  return (
    <div class="settings">
      <Head title={text.title} />
      <Tabs label={text.partsLabel} current={part}>
        {PARTS.map((each) => (
          <a
            key={each}
            href={href(each === 'models' ? ['settings'] : ['settings', each])}
            aria-current={each === part ? 'page' : undefined}
          >
            {text.parts[each]}
          </a>
        ))}
      </Tabs>
      {part === 'models' && <ModelsPart />}
      {part === 'connectors' && <ConnectorsPart />}
      {part === 'plugins' && <PluginsPart />}
      {part === 'briefing' && <BriefingPart />}
      {part === 'safety' && <SafetyPart />}
    </div>
  );
}
