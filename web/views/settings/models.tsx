/** Providers and their models, each with a test, and how their requests are made. */
import type { JSX } from 'preact';
import { api, type HarnessListProfilesAnswer, type HarnessPatch, type Model } from '../../api.ts';
import { count, duration } from '../../format.ts';
import { useEvery } from '../../resource.ts';
import { text as all } from '../../text.ts';
import { Action } from '../../ui/action.tsx';
import { Options } from '../../ui/choice.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Badge } from '../../ui/status.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { models, profiles, SETTINGS_EVERY_MS } from './data.ts';

const text = all.settings.models;
type Profile = HarnessListProfilesAnswer['profiles'][number];

export function ModelsPart(): JSX.Element {
  useEvery(SETTINGS_EVERY_MS, models);
  return (
    <div class="stack">
      <section class="card" aria-labelledby="settings-models">
        <h2 id="settings-models">{text.providers}</h2>
        <p class="quiet">
          {text.lead} {text.testHelp}
        </p>
        <Loaded of={models}>
          {({ models: known, configured }) => <Providers models={known} configured={configured} />}
        </Loaded>
      </section>
      <section class="card" aria-labelledby="settings-profiles">
        <h2 id="settings-profiles">{text.profiles}</h2>
        <p class="quiet">{text.profilesLead}</p>
        <Loaded of={profiles}>
          {({ profiles: known, overrides }) => (
            <Profiles known={known} changed={known.filter((each) => isChanged(each, overrides))} />
          )}
        </Loaded>
      </section>
    </div>
  );
}

interface ProfilesProps {
  readonly known: readonly Profile[];
  readonly changed: readonly Profile[];
}

/** Models of the provider in use and changed ones come first; the others can be opened. */
function Profiles({ known, changed }: ProfilesProps): JSX.Element {
  const active = (models.value.value?.models ?? [])
    .filter((each) => each.active === true)
    .map(({ provider }) => provider);
  const shown = known.filter((each) => changed.includes(each) || active.includes(each.provider));
  const others = known.filter((each) => !shown.includes(each));
  const rows = (of: readonly Profile[]): JSX.Element => (
    <ul class="settings-list">
      {of.map((each) => (
        <ProfileRow key={`${each.provider} ${each.model}`} profile={each} isChanged={changed.includes(each)} />
      ))}
    </ul>
  );
  return (
    <>
      {rows(shown)}
      <details class="settings-provider">
        <summary>
          <Icon name="chevron" /> {text.otherProfiles}
        </summary>
        {rows(others)}
      </details>
    </>
  );
}

function isChanged({ effective, builtin }: Profile, overrides: object): boolean {
  return Object.keys(overrides).length > 0 && JSON.stringify(effective) !== JSON.stringify(builtin);
}

interface ProvidersProps {
  readonly models: readonly Model[];
  readonly configured: readonly string[];
}

function Providers({ models: known, configured }: ProvidersProps): JSX.Element {
  const active = known.filter((each) => each.active === true).map(({ provider }) => provider);
  const providers = [...new Set(known.map(({ provider }) => provider))];
  const first = (provider: string): number => (active.includes(provider) ? 0 : configured.includes(provider) ? 1 : 2);
  return (
    <div>
      {providers
        .sort((one, other) => first(one) - first(other))
        .map((provider) => {
          const own = known.filter((each) => each.provider === provider);
          return (
            <details key={provider} class="settings-provider" open={active.includes(provider)}>
              <summary>
                <Icon name="chevron" />
                <strong>{provider}</strong>
                {active.includes(provider) && <Badge tone="good">{text.active}</Badge>}
                {!configured.includes(provider) && <Badge tone="quiet">{text.unconfigured}</Badge>}
                <span class="quiet">{text.others(count(own.filter(({ name }) => name !== undefined).length))}</span>
              </summary>
              <ul class="settings-list">
                {own.map((model) => (
                  <li key={model.id}>
                    <span>{model.name ?? text.inUse}</span>
                    {configured.includes(provider) && (
                      <Action run={() => test(model)} label={text.testLabel(model.name ?? text.inUse)}>
                        {text.test}
                      </Action>
                    )}
                  </li>
                ))}
              </ul>
            </details>
          );
        })}
    </div>
  );
}

/** The row in use has no name: it stands for the provider and model of the daemon's settings. */
async function test({ name, provider, active }: Model): Promise<void> {
  const began = performance.now();
  const choice = active === true || name === undefined ? {} : { provider, model: name };
  await api.chat.send({ messages: [{ role: 'user', content: text.question }], ...choice });
  toast(text.answered(name ?? provider, duration(performance.now() - began)));
}

const CHOICES = {
  tool_transport: ['native', 'prose'],
  prompt_dialect: ['full', 'compact'],
} as const;
const LABELS = { tool_transport: text.transport, prompt_dialect: text.dialect } as const;

function ProfileRow({ profile, isChanged }: { readonly profile: Profile; readonly isChanged: boolean }): JSX.Element {
  const { provider, model, effective } = profile;
  const query = model === '*' ? { provider } : { provider, model };
  /** What a change makes of a profile is known to the daemon only. */
  const change = (sent: () => Promise<unknown>): Promise<void> => profiles.change((shown) => shown, sent);
  /** It replaces the whole profile, which includes what the change before it made. */
  const set = (patch: HarnessPatch): Promise<boolean> =>
    attempt(() =>
      change(async () => {
        const { provider_override, model_override } = await api.harness.getProfile({ query });
        const before = model === '*' ? provider_override : model_override;
        await api.harness.setProfile({ ...before, ...patch }, { query });
      }),
    );
  const reset = (): Promise<void> => change(() => api.harness.resetProfile({ query }));
  return (
    <li class="settings-profile">
      <span>
        <strong>{provider}</strong> <span class="quiet">{model === '*' ? '' : model}</span>
      </span>
      {(Object.keys(CHOICES) as (keyof typeof CHOICES)[]).map((name) => (
        <label key={name} class="settings-choice">
          <span>{LABELS[name]}</span>
          <select
            value={effective[name]}
            aria-label={`${provider} ${model}: ${LABELS[name]}`}
            onChange={(event) => void set({ [name]: event.currentTarget.value })}
          >
            <Options of={CHOICES[name].map((each) => [each, each])} />
          </select>
        </label>
      ))}
      <label class="check">
        <input
          type="checkbox"
          checked={effective.prompt_cache}
          onChange={(event) => void set({ prompt_cache: event.currentTarget.checked })}
        />
        <span>{text.cache}</span>
      </label>
      {isChanged ? <Action run={reset}>{text.reset}</Action> : <span class="quiet">{text.builtin}</span>}
    </li>
  );
}
