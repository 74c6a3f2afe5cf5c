/** Engine, voice, language and model of conversations: settings of the daemon, for every client. */
import type { JSX } from 'preact';
import { api, type VoiceSettings, type VoiceUpdateSettingsBody } from '../../api.ts';
import { language } from '../../format.ts';
import { text as all } from '../../text.ts';
import { Choice } from '../../ui/choice.tsx';
import { Loaded } from '../../ui/states.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { tell } from './conversation.ts';
import { settings } from './data.ts';

const text = all.voice.settings;

export function VoiceSettingsCard(): JSX.Element {
  return (
    <section class="card" aria-labelledby="voice-settings">
      <h2 id="voice-settings">{text.title}</h2>
      <Loaded of={settings}>{(known) => <Fields of={known} />}</Loaded>
    </section>
  );
}

async function save(change: VoiceUpdateSettingsBody): Promise<void> {
  const isSaved = await attempt(() =>
    settings.change(
      (shown) => ({ ...shown, ...change }),
      () => api.voice.updateSettings(change),
    ),
  );
  if (!isSaved) return;
  toast(text.saved);
  if (change.voice !== undefined) tell({ type: 'set_voice', id: change.voice });
  if (change.language !== undefined) tell({ type: 'set_language', lang: change.language });
}

/** `provider/model`; an empty value clears both. */
function pairOf(id: string): VoiceUpdateSettingsBody {
  const at = id.indexOf('/');
  return at < 0 ? { provider: null, model: null } : { provider: id.slice(0, at), model: id.slice(at + 1) };
}

function Fields({ of }: { readonly of: VoiceSettings }): JSX.Element {
  const languages = [...new Set([...of.languages, ...(of.language === 'auto' ? [] : [of.language])])]
    .map((code) => [code, language(code)] as const)
    .toSorted(([, a], [, b]) => a.localeCompare(b));
  return (
    <div class="stack">
      <Choice
        label={text.engine}
        value={of.engine}
        options={of.engines.map(({ id, label, available }) => [id, available ? label : text.unavailable(label)])}
        choose={(engine) => save({ engine })}
      />
      <Choice
        label={text.voice}
        value={of.voice}
        options={[['', text.anyVoice], ...of.voices.map(({ id, name, lang }) => [id, `${name} (${lang})`] as const)]}
        choose={(voice) => save({ voice })}
      />
      <Choice
        label={text.language}
        value={of.language}
        options={[['auto', text.auto], ...languages]}
        choose={(code) => save({ language: code })}
      />
      <Choice
        label={text.model}
        value={of.provider === null ? '' : `${of.provider}/${of.model}`}
        options={[['', text.anyModel], ...of.models.map(({ id }) => [id, id] as const)]}
        choose={(id) => save(pairOf(id))}
      />
    </div>
  );
}
