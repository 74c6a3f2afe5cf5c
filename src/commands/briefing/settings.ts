/**
 * The decider of the briefing's settings: present fields change, absent fields stay.
 *
 * - A provider and a model are set together; both blank or null select the daemon's own model.
 * - A schedule counts from the moment when it was last set: earlier times are not due.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  BRIEFING_SECTIONS,
  type BriefingChanges,
  type BriefingSettings,
  type BriefingSettingsEvent,
  briefingSettingsEvents,
  WEEKDAYS,
} from '../../events/briefing/events.ts';
import { characterCount } from '../../lib/characters.ts';
import type { Decider } from '../decider.ts';
import { Refusal } from '../refusal.ts';
import { isTimezone } from './schedule.ts';

export interface BriefingSettingsCommand {
  readonly type: 'ChangeBriefingSettings';
  readonly changes: BriefingChanges;
}

export interface BriefingSettingsState {
  readonly settings: BriefingSettings;
  /** Unix milliseconds; 0 before the first setting. */
  readonly scheduleSince: number;
}

/** The id of the only stream, `settings-briefing`. */
export const BRIEFING_SETTINGS_ID = 'briefing';

export const KEEP_MAX = 365;
const HOURS_MAX = 8_760;
const REPOSITORIES_MAX = 20;
const NAME_CHARACTERS_MAX = 200;

export const BRIEFING_DEFAULTS: BriefingSettings = {
  enabled: false,
  time: '07:00',
  days: [...WEEKDAYS],
  timezone: null,
  sections: [...BRIEFING_SECTIONS],
  writer: 'model',
  provider: null,
  model: null,
  language: 'en',
  length: 'medium',
  workspace: null,
  repositories: [],
  hours: null,
  keep: 30,
};

const SCHEDULE = ['enabled', 'time', 'days', 'timezone'] as const;

export const briefingSettings: Decider<BriefingSettingsCommand, BriefingSettingsState, BriefingSettingsEvent> = {
  category: 'settings',
  events: briefingSettingsEvents,
  initial: { settings: BRIEFING_DEFAULTS, scheduleSince: 0 },
  decide({ changes }, { settings }) {
    const next = settingsWith(settings, changes);
    if (next instanceof Refusal) return next;
    const names = Object.keys(next) as (keyof BriefingSettings)[];
    const different = names.filter((name) => !isDeepStrictEqual(next[name], settings[name]));
    if (different.length === 0) return [];
    const changed = Object.fromEntries(different.map((name) => [name, next[name]])) as BriefingChanges;
    return [{ type: 'BriefingSettingsChanged', data: { changes: changed } }];
  },
  evolve(state, event) {
    switch (event.type) {
      case 'BriefingSettingsChanged': {
        const { changes } = event.data;
        const isSchedule = SCHEDULE.some((name) => name in changes);
        const scheduleSince = isSchedule ? event.at : state.scheduleSince;
        return { settings: { ...state.settings, ...changes }, scheduleSince };
      }
    }
  },
};

/** The settings with the changes applied, or a refusal of the changes. */
export function settingsWith(settings: BriefingSettings, changes: BriefingChanges): BriefingSettings | Refusal {
  const pair = pairOf(changes);
  if (pair instanceof Refusal) return pair;
  const changed: BriefingSettings = { ...settings, ...changes, ...pair };
  const fault = faultOf(changed);
  return fault === undefined ? inOrder(changed) : new Refusal('invalid', fault);
}

function pairOf({ provider, model }: BriefingChanges): Partial<BriefingSettings> | Refusal {
  if (provider === undefined && model === undefined) return {};
  if (provider === undefined || model === undefined) {
    return new Refusal('invalid', 'provider and model must be sent together; both empty clear them.');
  }
  const named = { provider: (provider ?? '').trim(), model: (model ?? '').trim() };
  if (named.provider === '' && named.model === '') return { provider: null, model: null };
  if (named.provider === '' || named.model === '') {
    return new Refusal('invalid', 'provider and model go together: name both, or leave both empty.');
  }
  return named;
}

function faultOf(changed: BriefingSettings): string | undefined {
  if (!/^(?:[01]\d|2[0-3]):[0-5]\d$/.test(changed.time)) return 'time must be HH:MM, from 00:00 to 23:59.';
  if (changed.days.length === 0) return 'days must name at least one day; switch enabled off for none.';
  if (changed.sections.length === 0) return 'sections must name at least one section.';
  if (changed.timezone !== null && !isTimezone(changed.timezone)) {
    return 'timezone must be an IANA name such as Europe/Berlin, or null for the zone of this machine.';
  }
  if (!isLanguage(changed.language)) return 'language must be a language code such as en or pt-BR.';
  const named = [changed.provider ?? '', changed.model ?? ''];
  if (named.some((name) => characterCount(name) > NAME_CHARACTERS_MAX)) {
    return `provider and model must have at most ${NAME_CHARACTERS_MAX} characters.`;
  }
  const paths = [...(changed.workspace === null ? [] : [changed.workspace]), ...changed.repositories];
  if (!paths.every(isAbsolutePath)) return 'workspace and repositories must be absolute paths.';
  if (changed.repositories.length > REPOSITORIES_MAX) {
    return `repositories must be at most ${REPOSITORIES_MAX}.`;
  }
  if (changed.keep > KEEP_MAX) return `keep must be from 1 to ${KEEP_MAX}.`;
  if (changed.hours !== null && changed.hours > HOURS_MAX) return `hours must be from 1 to ${HOURS_MAX}, or null.`;
  return undefined;
}

/** The settings with days in the order of the week, and lists without duplicates. */
function inOrder(changed: BriefingSettings): BriefingSettings {
  return {
    ...changed,
    days: WEEKDAYS.filter((day) => changed.days.includes(day)),
    sections: [...new Set(changed.sections)],
    repositories: [...new Set(changed.repositories)],
  };
}

function isAbsolutePath(path: string): boolean {
  return /^(?:\/|[A-Za-z]:[\\/])/.test(path) && !path.includes('\0');
}

function isLanguage(code: string): boolean {
  if (code.length > 35) return false;
  try {
    Intl.getCanonicalLocales(code);
    return true;
  } catch {
    return false;
  }
}
