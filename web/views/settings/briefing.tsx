/** When the briefing is written, and how. */
import type { JSX } from 'preact';
import { api, type BriefingSettings } from '../../api.ts';
import { text as all } from '../../text.ts';
import { Loaded } from '../../ui/states.tsx';
import { attempt, toast } from '../../ui/toasts.tsx';
import { briefing } from './data.ts';

const text = all.settings.briefing;
const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const WRITERS = ['model', 'computed'] as const;
const LENGTHS = ['short', 'medium', 'long'] as const;
const KEPT_MAX = 365;

export function BriefingPart(): JSX.Element {
  return <Loaded of={briefing}>{(settings) => <Form settings={settings} />}</Loaded>;
}

async function save(form: HTMLFormElement): Promise<void> {
  const data = new FormData(form);
  const field = (name: string): string => String(data.get(name) ?? '');
  await api.briefing.updateSettings({
    enabled: data.has('enabled'),
    time: field('time'),
    days: DAYS.filter((day) => data.has(day)),
    timezone: field('timezone') === '' ? null : field('timezone'),
    writer: WRITERS.find((each) => each === field('writer')) ?? 'model',
    length: LENGTHS.find((each) => each === field('length')) ?? 'medium',
    keep: Number(field('keep')),
  });
  toast(all.settings.saved);
  await briefing.refresh();
}

function Form({ settings }: { readonly settings: BriefingSettings }): JSX.Element {
  const { enabled, time, days, timezone, writer, length, keep } = settings;
  return (
    <form
      class="card settings-form"
      onSubmit={(event) => {
        event.preventDefault();
        const form = event.currentTarget;
        void attempt(() => save(form));
      }}
    >
      <label class="check">
        <input type="checkbox" name="enabled" defaultChecked={enabled} />
        <span>{text.enabled}</span>
      </label>
      <div class="settings-fields">
        <label class="field">
          <span>{text.time}</span>
          <input type="time" name="time" defaultValue={time} required />
        </label>
        <label class="field">
          <span>{text.timezone}</span>
          <input name="timezone" defaultValue={timezone ?? ''} placeholder={text.timezoneHint} spellcheck={false} />
        </label>
        <label class="field">
          <span>{text.keep}</span>
          <input type="number" name="keep" min={1} max={KEPT_MAX} defaultValue={String(keep)} required />
        </label>
      </div>
      <fieldset class="settings-days">
        <legend>{text.days}</legend>
        {DAYS.map((day) => (
          <label key={day} class="check">
            <input type="checkbox" name={day} defaultChecked={days.includes(day)} />
            <span>{text.dayNames[day]}</span>
          </label>
        ))}
      </fieldset>
      <div class="settings-fields">
        <Choice name="writer" chosen={writer} options={text.writers} />
        <Choice name="length" chosen={length} options={text.lengths} />
      </div>
      <div class="row">
        <button type="submit" class="button primary">
          {all.settings.save}
        </button>
      </div>
    </form>
  );
}

interface ChoiceProps {
  readonly name: 'writer' | 'length';
  readonly chosen: string;
  readonly options: Readonly<Record<string, string>>;
}

function Choice({ name, chosen, options }: ChoiceProps): JSX.Element {
  return (
    <label class="field">
      <span>{text[name]}</span>
      <select name={name}>
        {Object.entries(options).map(([id, words]) => (
          <option key={id} value={id} selected={id === chosen}>
            {words}
          </option>
        ))}
      </select>
    </label>
  );
}
